"""Status words by language: whether something is available, open or valid, as shops, offices and registers write it.

Lower case, without accents (see `fold`); a phrase is written with single spaces. Every status has a name, which words
of the same meaning share in all languages.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

GOOD_STATUSES = frozenset({"available", "open", "valid"})


def _words(text: str) -> frozenset[str]:
    """Return the entries of a list that is written with commas."""
    return frozenset(entry.strip() for entry in text.split(","))


_ENGLISH = {
    "available": "available, available now, in stock, back in stock, on sale, for sale, ready to ship, in production",
    "open": "open, open now, reopened, re-opened, now open",
    "valid": "valid, active, in force, in effect, in service, operational, operating normally, reinstated",
    "sold out": """sold out, out of stock, unavailable, backordered, back-ordered, on backorder, on back order,
    no stock, waitlist only, fully booked, none left""",
    "closed": "closed, shut, shut down",
    "temporarily closed": "temporarily closed, closed temporarily, closed until further notice",
    "permanently closed": "permanently closed, closed permanently, closed for good",
    "discontinued": "discontinued, end of life, no longer made, no longer sold",
    "recalled": "recalled, under recall",
    "expired": "expired, lapsed, out of date",
    "suspended": "suspended, on hold, inactive, out of service, out of order, deactivated",
    "cancelled": "cancelled, canceled, terminated, called off",
    "withdrawn": "withdrawn, revoked, rescinded, repealed, superseded",
}
_FRENCH = {
    "available": "disponible, disponibles, en stock, de retour en stock, en vente",
    "open": "ouvert, ouverte, ouverts, ouvertes, rouvert, rouverte",
    "valid": "valide, valides, actif, active, en vigueur, en service",
    "sold out": """rupture de stock, en rupture de stock, en rupture, epuise, epuisee, epuises, epuisees, indisponible,
    indisponibles, plus disponible, plus en stock, complet, complete""",
    "closed": "ferme, fermee, fermes, fermees",
    "temporarily closed": """ferme temporairement, fermee temporairement, temporairement ferme, temporairement fermee,
    fermeture temporaire""",
    "permanently closed": """ferme definitivement, fermee definitivement, definitivement ferme, definitivement fermee,
    fermeture definitive""",
    "discontinued": "discontinue, discontinuee, production arretee, arret de commercialisation",
    "recalled": "rappele, rappelee, rappeles, rappelees, fait l'objet d'un rappel",
    "expired": "expire, expiree, expires, expirees, perime, perimee",
    "suspended": "suspendu, suspendue, suspendus, suspendues, hors service, inactif, inactive",
    "cancelled": "annule, annulee, annules, annulees, resilie, resiliee",
    "withdrawn": "retire, retiree, retires, retirees, abroge, abrogee, revoque, revoquee",
}
_GERMAN = {
    "available": "verfugbar, auf lager, lieferbar, vorratig, erhaltlich",
    "open": "offen, geoffnet, wiedereroffnet",
    "valid": "gultig, aktiv, in kraft, in betrieb",
    "sold out": "ausverkauft, vergriffen, ausgebucht",
    "closed": "geschlossen",
    "temporarily closed": "vorubergehend geschlossen, zeitweise geschlossen",
    "permanently closed": "dauerhaft geschlossen, endgultig geschlossen",
    "discontinued": "eingestellt, auslaufartikel",
    "recalled": "zuruckgerufen",
    "expired": "abgelaufen",
    "suspended": "ausgesetzt, gesperrt, inaktiv, ausser betrieb, außer betrieb",
    "cancelled": "abgesagt, storniert, gekundigt",
    "withdrawn": "zuruckgezogen, widerrufen, ausser kraft, außer kraft",
}
_SPANISH = {
    "available": "disponible, disponibles, en existencias, hay existencias",
    "open": "abierto, abierta, abiertos, abiertas, reabierto",
    "valid": "valido, valida, vigente, activo, activa, en vigor",
    "sold out": """agotado, agotada, agotados, agotadas, sin existencias, sin stock, fuera de stock, no hay existencias,
    completo""",
    "closed": "cerrado, cerrada, cerrados, cerradas",
    "temporarily closed": "cerrado temporalmente, cerrada temporalmente, temporalmente cerrado, temporalmente cerrada",
    "permanently closed": "cerrado permanentemente, cerrado definitivamente, cerrada definitivamente",
    "discontinued": "descatalogado, descatalogada, descontinuado, descontinuada",
    "recalled": "retirado del mercado, retirada del mercado",
    "expired": "caducado, caducada, vencido, vencida, expirado, expirada",
    "suspended": "suspendido, suspendida, inactivo, inactiva, fuera de servicio",
    "cancelled": "cancelado, cancelada, anulado, anulada",
    "withdrawn": "retirado, retirada, derogado, derogada, revocado, revocada",
}

FILLERS = _words(
    """actualmente, actuellement, ahora, aktuell, are, article, articles, articulo, artikel,
    aujourd, aujourd'hui, availability, been, bestand, currently, derzeit, disponibilidad,
    disponibilite, estado, etat, fermeture, has, heute, hoy, hui, is, ist, item, items, jetzt,
    ligne, magasin, maintenant, momentan, now, online, page, product, producto, products, produit,
    produits, produkt, shop, sorry, state, status, statut, still, stock, store, stores,
    temporairement, temporalmente, temporarily, temporary, today, vorubergehend, was, wurde, zurzeit"""
)
"""Words that a line may contain besides its status."""

_NEGATING = frozenset({"not", "no", "never", "ne", "pas", "non", "nicht", "kein", "keine", "nunca", "without", "sans"})
_NEGATED_WITHIN = 3
_NEGATED_ALREADY = "plus"
"""In `n'est plus disponible`, both words are one negation."""
_AMBIGUOUS = frozenset({"expire", "expires", "retire", "retires", "discontinue", "complete", "shut", "complet"})
"""Words that mean something else in sentences, such as verbs of another language; they count in short lines."""
_SHORT_LINE = 4


class Status(NamedTuple):
    """A status that a text reports."""

    name: str
    """The same for words of the same meaning."""
    is_good: bool
    shown: str
    """The words of the text."""


class _Entry(NamedTuple):
    words: tuple[str, ...]
    name: str


def _lexicon(languages: Iterable[Mapping[str, str]]) -> dict[str, list[_Entry]]:
    """Return the phrases of all languages by their first word, the longest first."""
    found: dict[str, list[_Entry]] = {}
    for names in languages:
        for name, text in names.items():
            for phrase in text.split(","):
                words = tuple(phrase.replace("'", " ").split())
                found.setdefault(words[0], []).append(_Entry(words, name))
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry.words))
    return found


_LEXICON = _lexicon((_ENGLISH, _FRENCH, _GERMAN, _SPANISH))


def statuses_in(words: Sequence[str]) -> list[Status]:
    """Return the statuses that folded words report, in order; a negation before one reverses it."""
    found: list[Status] = []
    place = 0
    while place < len(words):
        entry = _entry_at(words, place)
        if entry is None:
            place += 1
            continue
        end = place + len(entry.words)
        begin = _negation_before(words, place)
        is_negated = begin < place
        name = f"not {entry.name}" if is_negated else entry.name
        found.append(Status(name, (entry.name in GOOD_STATUSES) != is_negated, " ".join(words[begin:end])))
        place = end
    return found


def _negation_before(words: Sequence[str], place: int) -> int:
    """Return where the negation of the words at a place begins; the place itself when nothing negates them."""
    first = place if words[place] == _NEGATED_ALREADY else max(0, place - _NEGATED_WITHIN)
    return next((at for at in range(first, place) if words[at] in _NEGATING), place)


def _entry_at(words: Sequence[str], place: int) -> _Entry | None:
    if words[place] in _AMBIGUOUS and len(words) > _SHORT_LINE:
        return None
    entries = _LEXICON.get(words[place], ())
    return next((one for one in entries if tuple(words[place : place + len(one.words)]) == one.words), None)
