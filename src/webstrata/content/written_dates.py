"""Dates in texts of the major languages: `5 March 2024`, `5 de marzo de 2024`, `05.03.2024`, `2024年3月5日`."""

import re
from datetime import date

_MONTHS = """
january jan januar janvier janv enero ene gennaio gen janeiro januari stycznia styczeń января январь январ січня
tammikuuta ledna leden ocak ianuarie január januára siječnja;
february feb februar février févr fevrier febrero febbraio fevereiro fev februari lutego luty февраля февраль февр
лютого helmikuuta února únor şubat februarie február februára veljače;
march mar märz maerz mrz mars marzo março marco maart mrt marca marzec марта март березня maaliskuuta března
březen mart martie március ožujka marts;
april apr avril avr abril abr aprile kwietnia kwiecień апреля апрель квітня huhtikuuta dubna duben nisan aprilie
április apríla travnja;
may mai mayo maggio mag maio mei maja мая май травня toukokuuta května květen mayıs május mája svibnja maj;
june jun juni juin junio giugno giu junho czerwca czerwiec июня июнь червня kesäkuuta června červen haziran iunie
június júna lipnja;
july jul juli juillet juil julio luglio lug julho lipca lipiec июля июль липня heinäkuuta července červenec temmuz
iulie július júla srpnja;
august aug août aout agosto ago augustus sierpnia sierpień августа август авг серпня elokuuta srpna srpen ağustos
augusztus augusta kolovoza augusti;
september sep sept septembre septiembre settembre set setembro września wrzesień сентября сентябрь сент вересня
syyskuuta září eylül septembrie szeptember septembra rujna;
october oct oktober okt octobre octubre ottobre ott outubro out października październik октября октябрь окт
жовтня lokakuuta října říjen ekim octombrie október októbra listopada;
november nov novembre noviembre novembro ноября ноябрь нояб marraskuuta kasım noiembrie novembra studenoga;
december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro grudnia grudzień декабря декабрь
дек грудня joulukuuta prosince prosinec aralık decembrie decembra prosinca desember des
"""
"""The names and abbreviations of the months, in lower case; a semicolon ends a month."""

_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS.split(";"), 1) for name in names.split()}
_POLISH_NOVEMBER = {"pl": 11, "cs": 11, "uk": 11}
"""`listopada` is October in Croatian and November in Polish and Czech."""

_NAME = "|".join(sorted(map(re.escape, (*_NUMBER_OF, "listopad", "листопада")), key=len, reverse=True))
_DATE = re.compile(
    r"(?<![\d./-])(?:"
    r"(?P<y1>(?:19|20)\d\d) ?(?:[-/.]|年|년) ?(?P<m1>\d{1,2}) ?(?:[-/.]|月|월) ?(?P<d1>\d{1,2})(?!\d)"
    rf"|(?P<d2>\d{{1,2}})(?:\.|st|nd|rd|th|er|º|°|-)? ?(?:de |del )?(?P<n2>{_NAME})"
    r"\.?,?(?: de| del)? ?(?P<y2>(?:19|20)\d\d)"
    rf"|(?P<n3>{_NAME})\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y3>(?:19|20)\d\d)"
    rf"|(?P<y4>(?:19|20)\d\d)\. (?P<n4>{_NAME}) (?P<d4>\d{{1,2}})\."
    r"|(?P<a5>\d{1,2})(?P<s5>[./-])(?P<b5>\d{1,2})(?P=s5)(?P<y5>(?:19|20)\d\d)"
    r")(?![a-z0-9/-])"
)
_LAST_AMERICAN_DAY = 12


def written_dates(text: str, language: str | None = None) -> list[tuple[int, int, str]]:
    """Return the dates in a short text: the start and end of each, and the day in ISO 8601.

    If either of two numbers may be the day, it is the first one, except on English pages with a slash between them.
    """
    lowered = text.lower()
    found = ((one, _day(one, language)) for one in _DATE.finditer(lowered)) if len(lowered) == len(text) else ()
    return [(one.start(), one.end(), day) for one, day in found if day]


def _day(match: re.Match[str], language: str | None) -> str | None:
    parts = match.groupdict()
    if parts["a5"]:
        first, second = int(parts["a5"]), int(parts["b5"])
        is_american = parts["s5"] == "/" and language == "en" and first <= _LAST_AMERICAN_DAY
        day, month = (second, first) if is_american or second > _LAST_AMERICAN_DAY else (first, second)
        return _iso(parts["y5"], month, day)
    if parts["m1"]:
        return _iso(parts["y1"], int(parts["m1"]), int(parts["d1"]))
    number = next(one for one in "234" if parts[f"n{one}"])
    return _iso(parts[f"y{number}"], _month(parts[f"n{number}"], language), int(parts[f"d{number}"]))


def _month(name: str, language: str | None) -> int:
    if name.startswith(("listopad", "листопад")):
        return _POLISH_NOVEMBER.get(language or "", 10) if name == "listopada" else 11
    return _NUMBER_OF[name]


def _iso(year: str, month: int, day: int) -> str | None:
    try:
        return date(int(year), month, day).isoformat()
    except ValueError:
        return None
