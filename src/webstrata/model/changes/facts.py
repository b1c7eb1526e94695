"""Facts that a text states: doses, amounts, prices, percentages, ages, dates, times, telephone numbers, e-mail."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from webstrata.model.changes import change_words as lists
from webstrata.model.changes.change_words import fold

_NUMBER = r"(?:\d{1,3}(?:[, ']\d{3}){1,5}(?:\.\d{1,6})?(?!\d)|\d{1,15}(?:[.,]\d{1,6})?)"
_MONTH = "(?:" + "|".join(sorted(lists.MONTHS, key=len, reverse=True)) + r")\b"
_ORDINAL = r"(?:st|nd|rd|th|er|e|\.)"
_YEAR = r"(?:19|20)\d\d(?!\d)"
_NUMBER_WORD = "(?:" + "|".join(lists.NUMBER_WORDS) + r")\b"
_SCALE = "(?:" + "|".join(lists.SCALES) + r")\b"
_UNIT = r"(?:per cent|pour cent|[%‰$€£¥₹]|° ?[cfk]\b|[a-zµ]{1,14}(?:/[a-zµ]{1,5}[23]?)?|[a-z]{1,2}[23]\b)"
_RANGE = rf"{_NUMBER}(?: ?(?:[-–—]|to|a|and|et) ?{_NUMBER})?"
_PHONES = (
    r"\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?!\d)",
    r"\b1-8\d\d-[a-z\d-]{7,10}\b",
    r"(?:\b1[ .-])?\(?\b\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}(?!\d)",
    r"\b0\d(?:[ .]\d\d){4}(?!\d)",
)
_PATTERNS = {
    "email": r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}",
    "iso": r"\b\d{4}-\d\d-\d\d(?!\d)",
    "slashed": r"\b\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d\d)(?!\.?\d)",
    "day": rf"\b\d{{1,2}}{_ORDINAL}?(?:[ -]| de | of ){_MONTH}\.?(?:,? (?:de )?{_YEAR}|-{_YEAR})?",
    "month": rf"\b{_MONTH}\.? (?:\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,? {_YEAR})?|{_YEAR})",
    "time": r"\b\d{1,2}(?::\d\d(?::\d\d)?(?: ?[ap]\.?m\b)?| ?[ap]\.?m\b| ?h ?\d\d\b| ?h(?= ?(?:a|-|–) ?\d{1,2} ?h\b))"
    r"|(?<=h a )\d{1,2} ?h\b",
    "phone": "|".join(_PHONES),
    "price": rf"[$€£¥₹] ?{_NUMBER}(?: ?(?:{_SCALE}|[kmb]n?\b))?",
    "amount": rf"(?<![^\W_]){_RANGE}(?:[ -]?{_SCALE}(?: de| d')?)?(?:[ -]?{_UNIT})?",
    "spelled": rf"\b{_NUMBER_WORD}[ -][a-z]{{2,14}}",
}
_LETTERS_FIRST = frozenset({"email", "month", "spelled"})


def _any_of(names: Iterable[str]) -> str:
    return "|".join(f"(?P<{name}>{_PATTERNS[name]})" for name in names)


_ANY_FACT = re.compile(_any_of(_PATTERNS))
_DIGITS_FIRST = re.compile(rf"(?=[\d+($€£¥₹])(?:{_any_of(name for name in _PATTERNS if name not in _LETTERS_FIRST)})")
"""The pattern for facts that begin with a digit or sign; far quicker, as most positions cannot match."""
_HAS_SIGN = re.compile(r"[\d@]")
_PLAIN_WORD = re.compile("[a-z]+")
_LEADING_WORDS = frozenset((*lists.MONTHS, *lists.NUMBER_WORDS))
_AMOUNT = re.compile(
    rf"(?P<first>{_NUMBER})(?: ?(?:[-–—]|to|a|and|et) ?(?P<last>{_NUMBER}))?"
    rf"(?:[ -]?(?P<scale>{_SCALE})(?: de| d')?)?(?:[ -]?(?P<unit>{_UNIT}))?"
)
_DATE_PART = re.compile(rf"(?P<month>{_MONTH})|(?P<year>{_YEAR})|(?P<day>\d{{1,2}})")
_GROUPED = re.compile(r"\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?")
_NOT_DIGITS = re.compile(r"\D+")
_MONEY_SIGNS = "$€£¥₹"
_AGES = tuple(lists.AGE_AFTER)
_UNIT_NAMES = {
    **dict.fromkeys(("hr", "hrs", "h", "heure", "heures"), "hour"),
    **dict.fromkeys(("yr", "yrs", "an", "ans", "annee", "annees"), "year"),
    **dict.fromkeys(("mcg", "ug"), "µg"),
    **dict.fromkeys(("usd", "dollar", "dollars"), "$"),
    **dict.fromkeys(("eur", "euro", "euros"), "€"),
    "min": "minute",
}


class Fact(NamedTuple):
    """A value in a text."""

    kind: str
    """Such as `dose`, `percent`, `duration`, `price`, `measure`, `age`, `date`, `time`, `phone`, `email`, `number`."""
    value: str
    """The normalised value: 1,000 and 1000 are equal, as are 3 May 2024 and 2024-05-03."""
    shown: str
    """The value as it is written in the text."""


def facts_in(text: str) -> list[Fact]:
    """Return the facts of a text, in order."""
    plain = fold(text)
    words = _PLAIN_WORD.findall(plain)
    has_leading_words = "@" in plain or not _LEADING_WORDS.isdisjoint(words)
    if not has_leading_words and _HAS_SIGN.search(plain) is None:
        return []
    pattern = _ANY_FACT if has_leading_words else _DIGITS_FIRST
    facts = [fact for match in pattern.finditer(plain) if (fact := _fact(match, text, plain)) is not None]
    if any(fact.kind == "duration" for fact in facts) and not lists.DOSING.isdisjoint(words):
        return [fact._replace(kind="dose") if fact.kind == "duration" else fact for fact in facts]
    return facts


def _fact(match: re.Match[str], text: str, plain: str) -> Fact | None:
    """Return what a match states, None for a number word that counts nothing."""
    name, found = match.lastgroup or "", match.group()
    if name == "amount":
        return _amount(match, text, plain)
    shown = text[match.start() : match.end()].rstrip(" .,-")
    if name == "spelled":
        return _spelled_number(found, shown)
    kind, value_of = _VALUES[name]
    return Fact(kind, value_of(found), shown)


def _date_value(found: str) -> str:
    """Return a date as year, month and day, as far as they are stated."""
    if found[:4].isdigit() and found[4:5] == "-":
        return "-".join(str(int(part)) for part in found.split("-"))
    parts = {
        name: part for match in _DATE_PART.finditer(found) if (name := match.lastgroup) and (part := match.group())
    }
    month = lists.MONTHS[parts["month"]]
    return f"{parts.get('year', '')}-{month}-{int(parts['day']) if 'day' in parts else ''}"


def _spelled_number(found: str, shown: str) -> Fact | None:
    word, unit = re.split("[ -]", found, maxsplit=1)
    kind = lists.UNITS.get(unit)
    return Fact(kind, f"{lists.NUMBER_WORDS[word]} {_unit_name(unit)}", shown) if kind else None


def _amount(match: re.Match[str], text: str, plain: str) -> Fact:
    """Return a number with its unit, if what follows it is one."""
    parts = _AMOUNT.match(match.group())
    assert parts is not None
    scale, unit = parts["scale"], parts["unit"]
    kind = "price" if unit and unit in _MONEY_SIGNS else lists.UNITS.get(unit or "")
    numbers = [_number(number, scale) for number in parts.group("first", "last") if number]
    end = match.start() + (parts.end() if kind else max(parts.end("first"), parts.end("last"), parts.end("scale")))
    shown = text[match.start() : end].strip(" -")
    value = "–".join(numbers)
    if kind is None or kind == "duration":
        kind = _kind_by_place(kind, numbers, plain, match.start(), end)
    if kind in {"number", "label", "date"}:
        return Fact(kind, value, shown)
    return Fact("price" if kind == "money" else kind, f"{value} {_unit_name(unit or '')}", shown)


def _kind_by_place(kind: str | None, numbers: list[str], plain: str, start: int, end: int) -> str:
    """Return the kind of a number without a unit, or of a length of time, by the words around it."""
    after = plain[end : end + 14].lstrip(" -")
    words_before = plain[max(0, start - 14) : start].split()
    before = words_before[-1].strip("(.:") if words_before else ""
    if after.startswith(_AGES) or before in lists.AGE_BEFORE:
        return "age"
    if kind is not None:
        return kind
    is_mark = plain[max(0, start - 1) : start] == "[" or (start == 0 and plain[end : end + 1] in {".", ")"})
    if before in lists.LABELS or is_mark:
        return "label"
    return "date" if all(len(number) == 4 and number[:2] in {"19", "20"} for number in numbers) else "number"


def _number(written: str, scale: str | None) -> str:
    """Return a number in one spelling."""
    digits = re.sub("[, ']", "", written) if _GROUPED.fullmatch(written) else written.replace(",", ".")
    if scale is None and "." not in digits:
        return digits.lstrip("0") or "0"
    return format(float(digits) * 10 ** lists.SCALES.get(scale or "", 0), ".12g")


def _unit_name(unit: str) -> str:
    if lists.UNITS.get(unit) == "percent":
        return "%"
    return _UNIT_NAMES.get(unit) or (unit.removesuffix("s") if len(unit) > 3 else unit)


_VALUES: dict[str, tuple[str, Callable[[str], str]]] = {
    **dict.fromkeys(("iso", "day", "month"), ("date", _date_value)),
    "slashed": ("date", lambda found: "/".join(part.lstrip("0") for part in re.split(r"[/.]", found))),
    "email": ("email", lambda found: found.rstrip(".")),
    "time": ("time", lambda found: found.replace(" ", "").replace(".", "").replace("h", ":")),
    "phone": ("phone", lambda found: _NOT_DIGITS.sub("", found).removeprefix("1")),
    "price": ("price", lambda found: found.replace(" ", "").replace(",", "")),
}
"""The kind of each pattern's facts, and how their value is written."""
