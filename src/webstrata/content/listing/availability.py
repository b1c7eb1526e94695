"""Availability as structured data states it: schema.org's terms and the words that shops write instead."""

from webstrata.model.collections.listing import Availability

_TERMS = {
    **dict.fromkeys(
        ("instock", "onlineonly", "instoreonly", "available", "availablefororder", "yes", "true", "1", "madetoorder"),
        Availability.IN_STOCK,
    ),
    **dict.fromkeys(
        ("outofstock", "soldout", "oos", "unavailable", "notavailable", "no", "false", "0", "reserved", "sold"),
        Availability.OUT_OF_STOCK,
    ),
    **dict.fromkeys(("preorder", "presale", "pending"), Availability.PREORDER),
    **dict.fromkeys(("backorder", "availableonbackorder", "onbackorder"), Availability.BACKORDER),
    **dict.fromkeys(("limitedavailability", "limited", "lowstock"), Availability.LIMITED),
    "discontinued": Availability.DISCONTINUED,
}


def stated_availability(text: str) -> Availability | None:
    """Return the availability that a term such as `http://schema.org/InStock` or `out of stock` states."""
    term = text.strip().rstrip("/").rpartition("/")[2]
    return _TERMS.get("".join(letter for letter in term.lower() if letter.isalnum()))
