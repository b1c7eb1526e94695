"""Patterns of text that changes by itself: date stamps, copyright years, counters, tokens, clocks, weather.

They are matched against folded text (see `fold`); the group `v` is the part that varies. All have bounded repetitions.
Dates and numbers must be at the start of a line or after a separator: inside a sentence they are facts.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from webstrata.model.changes.change_words import MONTHS, WEEKDAYS, fold

MOST_CHARACTERS = 4_000
"""Longer lines are not checked: volatile parts are in short ones."""


class VolatilePart(NamedTuple):
    """A part of a line that changes by itself."""

    start: int
    end: int
    kind: str
    is_whole_line: bool
    """Whether the line has no other content."""


def _any(*texts: str) -> str:
    return f"(?:{'|'.join(texts)})"


_MONTH = _any(*sorted(MONTHS, key=len, reverse=True)) + r"\b"
_WEEKDAY = _any(*sorted(WEEKDAYS, key=len, reverse=True)) + r"\b\.?,?"
_YEAR = r"(?:19|20)\d\d(?!\d)"
_ZONE = r"(?: ?(?:utc|gmt|z|[ecmp][sd]?t|cet|cest|bst|[+-]\d\d:?\d\d)\b)?"
_TIME = rf"\d{{1,2}}(?: ?h ?\d\d|:\d\d(?::\d\d(?:\.\d{{1,6}})?)?)(?: ?[ap]\.?m\b\.?)?{_ZONE}|\d{{1,2}} ?[ap]\.?m\b\.?"
_DATE = _any(
    r"\d{4}[-/]\d\d?[-/]\d\d?(?:t\d\d:\d\d[\d:.]{0,12})?",
    r"\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d\d)(?!\d)",
    rf"\d{{1,2}}(?:st|nd|rd|th|er|\.)?[ -]{{1,2}}(?:of |de )?{_MONTH}\.?,?(?:[ -](?:de )?{_YEAR})?",
    rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,? {_YEAR})?",
    rf"{_MONTH}\.?,? {_YEAR}",
)
_MOMENT = (
    rf"(?:{_WEEKDAY} )?(?:{_DATE}(?:,? ?(?:at|a|-|–|@|\||\()? ?(?:{_TIME}))?|(?:{_TIME})(?:,? (?:on |le )?{_DATE})?)"
)

_NUMBER = r"\d[\d,. ]{0,14}(?:[km]\b)?(?<=[\dkm])"
_BEFORE = r"(?:^|[|•·»,(\[]\s?|\s[-–—/]\s)"
_AFTER = r"(?=\s?(?:$|[|•·«,.;)\]]|\s[-–—/]\s))"
_STAMP_BEFORE = r"(?:^\W{0,3}|[|•·»]\s?|\s[-–—]\s|[.;]\s(?=page |last |date |site |this |derniere ))"

_PAGE = (
    r"(?:(?:this |the |cette |la |ce |le )?(?:web ?)?(?:page|site|content|document|information|contenu|article)s? )?"
)
_STAMPED = _any(
    rf"{_PAGE}(?:was |has been |is |a ete |est )?(?:last |latest |most recently |currently |content )?"
    + _any(
        *(
            "updated",
            "modified",
            "reviewed",
            "revised",
            "changed",
            "edited",
            "refreshed",
            "generated",
            "rendered",
            "built",
        ),
        *(
            "cached",
            "retrieved",
            "checked",
            "verified",
            "actualise",
            "generee?",
            "mise? a jour",
            "modifiee?",
            "revisee?",
        ),
    ),
    r"(?:content |page )?date (?:last )?(?:modified|updated|reviewed|revised|generated|of last \w{4,12}|modifiee?)",
    r"(?:page |site )?(?:last|latest) (?:update|modification|revision|review|change)s?(?: date| time)?(?: was)?",
    r"(?:page |site )?derniere (?:mise a jour|modification|revision|actualisation)(?: du site| de la page)?",
    r"date de (?:la )?(?:derniere )?(?:modification|mise a jour|revision|generation)",
    r"(?:zuletzt|letzte) (?:aktualisiert|geandert|aktualisierung|anderung)|ultima (?:actualizacion|modificacion)",
)
_LINK = r"(?: ?[:–-] ?| )(?:on |at |le |the |am |el |date |effectuee le |: ?){0,2}"

_COUNTED = _any(
    *(
        "page ?views",
        "views?",
        "visits?",
        "visitors?",
        "hits?",
        "reads",
        "downloads?",
        "comments?",
        "replies",
        "shares?",
    ),
    *("likes?", "followers?", "subscribers?", "reactions?", "retweets?", "tweets?", "clicks", "plays", "ratings?"),
    *("(?:users?|guests?|members?|people|visitors?) online", "vues?", "visites?", "visiteurs?", "lectures?"),
    *("telechargements?", "commentaires?", "partages?", "abonnes?", "j'aime"),
)
_AGO_UNIT = _any(
    "seconds?", "secs?", "minutes?", "mins?", "hours?", "hrs?", "days?", "weeks?", "months?", "years?", "[smhd]"
)
_IL_Y_A = r"il y a (?:environ )?(?:\d{1,3}|une?) (?:secondes?|minutes?|heures?|jours?|semaines?|mois|ans?|annees?)"
_AGO = _any(rf"(?:about |over )?(?:\d{{1,3}}|an?|one) ?{_AGO_UNIT} ago", _IL_Y_A, "just now", r"vor \d{1,3} \w{3,10}")
_POSTED = (
    r"(?:(?:last )?(?:posted|updated|published|edited|added|modified|publiee?|mise? a jour|modifiee?|ajoutee?):? )?"
)
_SKY = _any(
    *(
        "sunny",
        "cloudy",
        "clear",
        "overcast",
        "rain",
        "rainy",
        "showers",
        "drizzle",
        "snow",
        "fog",
        "mist",
        "haze",
        "windy",
    ),
    *(
        "thunderstorms?",
        "fair",
        "ensoleille",
        "nuageux",
        "couvert",
        "pluie",
        "averses",
        "neige",
        "brouillard",
        "degage",
    ),
)
_DEGREES = r"-?\d{1,3}(?:[.,]\d)? ?° ?[cf]?"
_ASSETS = r"(?:js|css|png|jpe?g|svg|gif|webp)"

_READING = _any("looking at this", "viewing this", "watching this", "browsing this", "viewed this", "regardent ce")
_NOW = _any(
    *(r"(?:the )?current (?:date|time)(?: and time)?", "server time", "time now", "today is", "today's date", "today"),
    *("it is now", "nous sommes", "aujourd'hui", "date du jour", "heure (?:actuelle|du serveur)"),
)
_LOADED = _any("generated", "loaded", "rendered", "served", "executed", "processed", "created", "generee?", "chargee?")
_DURATION = r"\d{1,6}(?:[.,]\d{1,6})? ?(?:ms|sec\w{0,5}|msec|milli\w{0,8}|s)\b"
_TOKEN_OF = _any("request", "session", "trace", "correlation", "ray", "incident", "transaction", "event")
_SECRET = _any("nonce", r"_?csrf[\w-]{0,20}", "authenticity_token", "token", "sid", "j?sessionid", "phpsessid")
_OF_THE_DAY = _any(
    r"(?:quote|tip|word|fact|photo|picture|image|joke|thought) of the (?:day|week|month)",
    r"(?:citation|conseil|mot|photo|image|pensee) du (?:jour|mois)",
)
_COUNTER_OF = _any("total ", "page ", "number of ", "nombre de ", "view ", "voir ")
_SHOWN_RANGE = r"\d{1,6} ?(?:-|–|to|a) ?\d{1,6}"
_COPYRIGHT = r"(?:©|\(c\)|\bcopyright|droits? d'auteur)"
_PATTERNS = {
    "a date stamp": (rf"{_STAMP_BEFORE}{_STAMPED}{_LINK}(?P<v>{_MOMENT})",),
    "a copyright year": (
        rf"{_COPYRIGHT}[^\d]{{0,20}}(?P<v>{_YEAR}(?: ?[-–—,] ?{_YEAR}){{0,3}})",
        rf"(?P<v>\b{_YEAR}) ?(?:©|\(c\)|all rights reserved|tous droits reserves)",
    ),
    "a relative time": (rf"{_BEFORE}{_POSTED}(?P<v>{_AGO}){_AFTER}",),
    "a counter": (
        rf"{_BEFORE}(?P<v>{_NUMBER}) ?(?:total |unique )?{_COUNTED}(?: today| so far)?{_AFTER}",
        rf"{_BEFORE}{_COUNTER_OF}?{_COUNTED} ?[:(] ?(?P<v>{_NUMBER})\)?{_AFTER}",
        rf"^(?:you are|vous etes)(?: our| the| le| la| notre)? (?P<v>{_NUMBER})(?:e|eme|st|nd|rd|th)? visit[eo]u?r",
        rf"\b(?:visitor|hit|visit|visiteur)s? ?(?:number|no\.?|#|count(?:er)?|n°) ?:? ?(?P<v>{_NUMBER})",
        rf"^(?:showing|displaying|results?|affichage de|resultats?) (?P<v>{_SHOWN_RANGE} (?:of|sur|de) {_NUMBER})",
        r"^(?:page |slide |image |photo )?(?P<v>\d{1,4} (?:of|sur) \d{1,5})$",
    ),
    "a number of readers": (
        rf"^(?:there are |currently,? |il y a )?(?P<v>{_NUMBER}) (?:[a-z]{{2,12}} ){{1,2}}(?:online|en ligne)\b",
        rf"^(?P<v>{_NUMBER}) (?:other )?[a-z]{{5,10}} (?:are |have )?(?:currently |just )?{_READING}\b",
    ),
    "a token": (
        rf"\b{_TOKEN_OF}[ _-]?(?:id|identifier)\b ?[:=#]? ?(?P<v>[\w.:-]{{4,80}})",
        r"\breference ?# ?(?P<v>[\da-f.]{8,80})",
        rf"\b{_SECRET} ?[=:] ?(?P<v>[\w.+/=-]{{4,200}})",
    ),
    "a cache version": (
        r"[?&](?:v|ver|version|ts|t|_|cb|rev|nocache|rnd|rand)=(?P<v>[\w.-]{1,80})",
        rf"[.-](?P<v>[\da-f]{{6,40}})\.{_ASSETS}\b",
    ),
    "a clock": (
        rf"^{_NOW}(?: is)?(?:,| ?:)? (?:le )?(?P<v>{_MOMENT})",
        rf"^(?P<v>(?:{_WEEKDAY} )?(?:{_DATE},? )?\d{{1,2}}:\d\d:\d\d(?: ?[ap]\.?m\b\.?)?{_ZONE})$",
    ),
    "a loading time": (rf"\b{_LOADED}\b(?: (?:on|le) .{{6,40}}?)? (?:in|en) (?P<v>{_DURATION})",),
    "a server's name": (
        r"\bserved by:? (?P<v>[\w.-]{2,60})$",
        r"\b(?:generated|rendered|served) .{0,60}? by:? (?P<v>[a-z][\w.-]{0,40}\d)$",
    ),
    "the weather": (
        rf"^(?:[a-z ]{{0,25}}[,:|]? ?)?(?P<v>{_DEGREES},? ?(?:mostly |partly |light |heavy |peu )?{_SKY})\b",
        rf"^(?:current |local )?(?:weather|conditions|meteo|temps actuel)\b[^\d]{{0,25}}(?P<v>{_DEGREES}.{{0,30}})$",
    ),
    "a rotating text": (
        rf"^{_OF_THE_DAY} ?[:–-] ?(?P<v>.+)$",
        r"^(?:advertisement|sponsored|publicite|annonce) ?[:–-] ?(?P<v>.+)$",
    ),
}
_RULES = {kind: tuple(map(re.compile, patterns)) for kind, patterns in _PATTERNS.items()}
_CUES = {
    "a date stamp": (
        *("updat", "modif", "review", "revis", "chang", "edited", "refresh", "gener", "render", "built", "cached"),
        *("retriev", "checked", "verif", "actuali", " a jour", "zuletzt", "letzte"),
    ),
    "a copyright year": ("©", "(c)", "copyright", "d'auteur", "all rights", "tous droits"),
    "a relative time": ("ago", "il y a ", "just now", "vor "),
    "a counter": (
        *("view", "visit", "hit", "reads", "download", "comment", "replies", "share", "like", "followe", "subscr"),
        *("reaction", "tweet", "clicks", "plays", "rating", "online", "vue", "lecture", "telecharg", "partage"),
        *("abonne", "j'aime", "showing", "displaying", "result", "affichage", " of ", " sur "),
    ),
    "a number of readers": ("online", "en ligne", "looking at", "viewing", "watching", "browsing", "regardent"),
    "a token": (" id", "id:", "_id", "-id", "identifier", "reference", "nonce", "csrf", "token", "sid", "sessionid"),
    "a cache version": ("=", *(f".{name}" for name in ("js", "css", "png", "jp", "svg", "gif", "webp"))),
    "a clock": (":", "current", "today", "now", "nous sommes", "aujourd'hui", "date du jour", "heure"),
    "a loading time": (" in ", " en "),
    "a server's name": ("served", "generated", "rendered"),
    "the weather": ("°",),
    "a rotating text": (" of the ", " du ", "advert", "sponsor", "publicite", "annonce"),
}
"""Texts of which a line must contain one for a pattern to match: looking for them is far quicker than matching."""
_WITHOUT_DIGITS = frozenset({"a relative time", "a token", "a server's name", "a rotating text"})
_DIGIT = re.compile(r"\d")
_LINES_CACHED = 256
"""The size of the cache: a changed line is checked several times, by itself, as a mask, and beside other lines."""
_SHORTEST_TOKEN = 16
_TOKEN = re.compile(r"(?<![\w+/=-])[\w+/=-]{16,200}(?![\w+/=-])")
_HEXADECIMAL = re.compile(r"(?=.*\d)(?=.*[a-f])[\da-f-]{16,200}")
_WORDLIKE = re.compile(r"[a-z]{6}|[A-Z]{6}")
_DIGEST = re.compile(r"(?:sha|md5|checksum|digest|fingerprint|empreinte|somme de controle|hash)[^|]{0,20}$")
BARE_MOMENT = re.compile(rf"\W{{0,3}}{_MOMENT}\W{{0,3}}")
"""Matches a line that is only a date or time."""
STAMP_LABEL = re.compile(rf"\W{{0,3}}{_STAMPED}(?: on| at| le)?\W{{0,3}}")
"""Labels before a date on a line of its own, such as `Date modified:`."""
ROTATING_HEADING = re.compile(
    _any(_OF_THE_DAY, "on this day", "advertisements?", "sponsored(?: content)?", "publicites?")
)


def volatile_parts(line: str) -> tuple[VolatilePart, ...]:
    """Return the parts of a line that change by themselves, in order, none inside another."""
    return () if len(line) > MOST_CHARACTERS else _parts_of(line)


@lru_cache(_LINES_CACHED)
def _parts_of(line: str) -> tuple[VolatilePart, ...]:
    plain = fold(line)
    found = [*_tokens(line, plain), *_matches(plain)]
    parts: list[VolatilePart] = []
    for part in sorted(found, key=lambda part: (part.start, -part.end)):
        if not parts or part.start >= parts[-1].end:
            parts.append(part)
    return tuple(parts)


def _matches(plain: str) -> Iterator[VolatilePart]:
    kinds = _RULES if _DIGIT.search(plain) else _WITHOUT_DIGITS
    for kind in kinds:
        if not any(cue in plain for cue in _CUES[kind]):
            continue
        for pattern in _RULES[kind]:
            for match in pattern.finditer(plain):
                is_whole = not plain[: match.start()].strip(" .|") and not plain[match.end() :].strip(" .|")
                yield VolatilePart(match.start("v"), match.end("v"), kind, is_whole)


def _tokens(line: str, plain: str) -> Iterator[VolatilePart]:
    """Yield the random words of a line; checksums do not count, as they change only with their file."""
    if max(map(len, line.split()), default=0) < _SHORTEST_TOKEN:
        return
    for match in _TOKEN.finditer(line):
        start, end = match.span()
        if _is_random(match.group()) and _DIGEST.search(plain[max(0, start - 40) : start]) is None:
            yield VolatilePart(start, end, "a token", start == 0 and end == len(line))


def _is_random(word: str) -> bool:
    if _HEXADECIMAL.fullmatch(word.lower()):
        return True
    has_mixture = any(map(str.isdigit, word)) and any(map(str.isupper, word)) and any(map(str.islower, word))
    return has_mixture and len(word) >= 20 and _WORDLIKE.search(word) is None
