"""Currencies: symbols and names to codes of ISO 4217, and the currencies of countries."""

import re
import unicodedata
from collections.abc import Mapping

_CODES = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD GBP GEL GHS GMD GNF GTQ GYD HKD HNL HRK HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LSL LYD MAD MDL MGA MKD "
    "MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB "
    "RWF SAR SCR SEK SGD SOS SRD SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST "
    "XAF XCD XOF XPF YER ZAR ZMW ZWL"
)
CODES = frozenset(_CODES.split())
_OTHER_CODES = {"RUR": "RUB", "RMB": "CNY", "NIS": "ILS", "CNH": "CNY", "UKP": "GBP", "NTD": "TWD", "BYR": "BYN"}
"""Codes that were withdrawn, and abbreviations that shops use like codes."""

_NO_DECIMALS = "BIF CLP COP CRC DJF GNF HUF IDR ISK JPY KMF KRW LAK MMK PYG RWF TZS UGX UZS VND VUV XAF XOF XPF"
WITHOUT_DECIMALS = frozenset(_NO_DECIMALS.split())
"""Currencies whose prices have no decimals in practice: three digits after a point are a group of thousands."""

WITH_THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})

_SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys(("€", "euro", "euros", "еur", "ευρώ"), "EUR"),
    **dict.fromkeys(("£", "￡"), "GBP"),
    **dict.fromkeys(("us$", "us $", "u$s", "usd$", "dollars"), "USD"),
    **dict.fromkeys(("ca$", "c$", "cad$", "cdn$"), "CAD"),
    **dict.fromkeys(("au$", "a$", "aud$"), "AUD"),
    "nz$": "NZD",
    "hk$": "HKD",
    "s$": "SGD",
    "mx$": "MXN",
    "r$": "BRL",
    "ar$": "ARS",
    "cl$": "CLP",
    "co$": "COP",
    **dict.fromkeys(("nt$", "nt $"), "TWD"),
    **dict.fromkeys(("₽", "руб.", "руб", "рублей", "р.", "rub."), "RUB"),
    **dict.fromkeys(("₴", "грн.", "грн"), "UAH"),
    **dict.fromkeys(("zł", "zl", "złotych"), "PLN"),
    "kč": "CZK",
    "ft": "HUF",
    "лв": "BGN",
    "лв.": "BGN",
    "kn": "HRK",
    "ден": "MKD",
    "ден.": "MKD",
    "br": "BYN",
    **dict.fromkeys(("lei", "leu"), "RON"),
    **dict.fromkeys(("din.", "din", "рсд", "дин."), "RSD"),
    **dict.fromkeys(("₺", "tl"), "TRY"),
    **dict.fromkeys(("sfr.", "sfr", "fr.", "chf."), "CHF"),
    **dict.fromkeys(("₹", "inr."), "INR"),
    **dict.fromkeys(("円", "jp¥"), "JPY"),
    **dict.fromkeys(("元", "cn¥", "人民币"), "CNY"),
    **dict.fromkeys(("₩", "원"), "KRW"),
    **dict.fromkeys(("₫", "đ", "vnđ"), "VND"),
    "฿": "THB",
    "บาท": "THB",
    "₱": "PHP",
    "rp": "IDR",
    "rp.": "IDR",
    "rm": "MYR",
    "৳": "BDT",
    "₸": "KZT",
    "тг": "KZT",
    "₪": "ILS",
    "₾": "GEL",
    "֏": "AMD",
    "₼": "AZN",
    "₦": "NGN",
    "ksh": "KES",
    "gh₵": "GHS",
    "₵": "GHS",
    "₡": "CRC",
    "₲": "PYG",
    "gs.": "PYG",
    "s/": "PEN",
    "s/.": "PEN",
    "bs.": "BOB",
    "bs": "BOB",
    "b/.": "PAB",
    "rd$": "DOP",
    **dict.fromkeys(("د.إ", "درهم", "dhs", "aed."), "AED"),
    **dict.fromkeys(("ر.س", "ريال", "﷼"), "SAR"),
    "ج.م": "EGP",
    "جنيه": "EGP",
    "le": "EGP",
    **dict.fromkeys(("د.ك", "kd"), "KWD"),
    "ر.ق": "QAR",
    "د.ب": "BHD",
    "ر.ع": "OMR",
    "د.أ": "JOD",
    "دج": "DZD",
    "د.م": "MAD",
    "د.ت": "TND",
}

SIGNS = "".join(symbol for symbol in _SYMBOLS if len(symbol) == 1 and unicodedata.category(symbol) == "Sc")
"""The currency signs that are no letters."""
_DOLLARS = "ARS AUD BBD BMD BND BSD BZD CAD CLP COP DOP FJD HKD JMD MXN NAD NZD SGD TTD TWD USD UYU XCD"
_AMBIGUOUS: Mapping[str, tuple[str, frozenset[str]]] = {
    "$": ("USD", frozenset(_DOLLARS.split())),
    "£": ("GBP", frozenset({"GBP", "EGP", "LBP", "SYP"})),
    "¥": ("JPY", frozenset({"JPY", "CNY"})),
    "￥": ("JPY", frozenset({"JPY", "CNY"})),
    "元": ("CNY", frozenset({"CNY", "TWD", "HKD"})),
    "kr": ("SEK", frozenset({"SEK", "NOK", "DKK", "ISK"})),
    "kr.": ("DKK", frozenset({"SEK", "NOK", "DKK", "ISK"})),
    ",-": ("NOK", frozenset({"NOK", "DKK", "SEK", "CZK", "EUR"})),
    "rs": ("INR", frozenset({"INR", "PKR", "LKR", "NPR", "MUR", "SCR"})),
    "rs.": ("INR", frozenset({"INR", "PKR", "LKR", "NPR", "MUR", "SCR"})),
    "lei": ("RON", frozenset({"RON", "MDL"})),
    "r": ("ZAR", frozenset({"ZAR"})),
    "ريال": ("SAR", frozenset({"SAR", "QAR", "OMR", "YER", "IRR"})),
    "درهم": ("AED", frozenset({"AED", "MAD"})),
}
"""Symbols of several currencies: the default, and those that the country of a page may select."""

AMBIGUOUS_SIGNS = frozenset({"$", "£", "¥", "￥", "kr", "kr.", "rs", "rs."})
"""Signs after or before which shops also write the currency's code."""

_COUNTRIES = (
    "EUR at be cy de ee es eu fi fr gr hr ie it lt lu lv mt nl pt si sk me mc sm ad xk, GBP uk gb im je gg, USD "
    "us pr ec sv, CHF ch li, SEK se, NOK no, DKK dk fo gl, ISK is, PLN pl, CZK cz, HUF hu, RON ro, BGN bg, RSD "
    "rs, UAH ua, RUB ru su, BYN by, TRY tr, ILS il, AED ae, SAR sa, QAR qa, KWD kw, BHD bh, OMR om, JOD jo, EGP "
    "eg, MAD ma, TND tn, DZD dz, ZAR za, NGN ng, KES ke, GHS gh, INR in, PKR pk, LKR lk, NPR np, BDT bd, CNY cn, "
    "TWD tw, HKD hk, JPY jp, KRW kr, THB th, VND vn, PHP ph, IDR id, MYR my, SGD sg, AUD au, NZD nz, CAD ca, MXN "
    "mx, BRL br, ARS ar, CLP cl, COP co, PEN pe, UYU uy, PYG py, BOB bo, CRC cr, DOP do, GTQ gt, PAB pa, MDL md, "
    "MKD mk, ALL al, BAM ba, GEL ge, AMD am, AZN az, KZT kz, UZS uz, KGS kg, MUR mu, LBP lb, IQD iq, IRR ir"
)
_OF_COUNTRY = {country: row.split()[0] for row in _COUNTRIES.split(", ") for country in row.split()[1:]}
_OF_LANGUAGE = {
    "sv": "SEK",
    "nb": "NOK",
    "nn": "NOK",
    "no": "NOK",
    "da": "DKK",
    "is": "ISK",
    "ja": "JPY",
    "zh": "CNY",
    "pl": "PLN",
    "cs": "CZK",
    "hu": "HUF",
    "ko": "KRW",
    "th": "THB",
    "vi": "VND",
    "tr": "TRY",
    "he": "ILS",
}
"""Languages that are mainly spoken in one country."""

_NOT_COUNTRIES = frozenset({"co", "me", "am", "im", "is", "sm", "su"})
"""Country codes that hosts also use for other purposes: they only select among the currencies of a symbol."""


def country_of_host(host: str) -> str | None:
    """Return the country of a host name such as `shop.example.co.uk` or `ar-sa.example.com`."""
    labels = host.lower().rstrip(".").split(".")
    last = labels[-1]
    if last in _OF_COUNTRY:
        return last
    for label in labels[:-2]:
        tail = label.rpartition("-")[2]
        if len(tail) == 2 and tail in _OF_COUNTRY and (label == tail or len(label) == 5):
            return tail
    return None


def country_of_path(path: str) -> str | None:
    """Return the country of a path whose first segment is a country or a locale, such as `/gb/en/` or `/de-at/`."""
    first = path.strip("/").lower().split("/")[0]
    language, _, country = first.replace("_", "-").rpartition("-")
    if len(country) != 2 or len(language) not in {0, 2} or country not in _OF_COUNTRY:
        return None
    # A single "de" or "es" may be a language or a country.
    return country if language or country in {"gb", "uk", "us", "au", "ca", "nz", "in", "ie", "at", "ch"} else None


def currency_of_country(country: str | None) -> str | None:
    """Return the currency of a country; None for country codes that are mostly used for other purposes."""
    return None if country is None or country in _NOT_COUNTRIES else _OF_COUNTRY.get(country)


def currency_of(symbol: str, country: str | None = None, language: str | None = None) -> str | None:
    """Return the code of a currency that is written as a symbol, a name or a code; None for other texts."""
    written = " ".join(symbol.split())
    code = written.upper()
    if code in CODES:
        return code
    if code in _OTHER_CODES:
        return _OTHER_CODES[code]
    lowered = written.lower()
    if lowered in _AMBIGUOUS:
        usual, possible = _AMBIGUOUS[lowered]
        local = _OF_COUNTRY.get(country or ""), _OF_LANGUAGE.get(language or "")
        return next((one for one in local if one in possible), usual)
    return _SYMBOLS.get(lowered)


def _pattern() -> str:
    """Return a regular expression for all symbols and codes, in lower case; words do not match inside others."""
    signs: list[str] = []
    words = [code.lower() for code in (*CODES, *_OTHER_CODES)]
    for symbol in (*_SYMBOLS, *_AMBIGUOUS):
        if symbol == ",-":
            continue
        (words if symbol[0].isalpha() and symbol[-1] != "$" and not symbol.endswith("₵") else signs).append(symbol)
    signs.sort(key=len, reverse=True)
    words.sort(key=len, reverse=True)
    either = "|".join(map(re.escape, words))
    lettered = "|".join(re.escape(sign) for sign in signs if sign[0].isalpha() and sign[0].isascii())
    others = "|".join(re.escape(sign) for sign in signs if not (sign[0].isalpha() and sign[0].isascii()))
    return rf"(?:(?<![^\W\d_])(?:{lettered})|{others}|(?<![^\W\d_])(?:{either})(?![^\W\d_]))"


CURRENCY_PATTERN = _pattern()
