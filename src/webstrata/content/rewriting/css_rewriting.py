"""Rewriting of the addresses in style sheets: `url(…)` and `@import`; everything else is unchanged."""

import re
from collections.abc import Callable

CssAddress = Callable[[str, bool], str | None]
"""A function that returns the new address of a reference, given whether it is a style sheet; None leaves it
unchanged."""

# Quantifiers are possessive, so that matching takes linear time even on a hostile style sheet. Comments and other
# strings are matched, too, to skip what looks like a URL in them.
_PART = re.compile(
    r"""/\*(?:[^*]|\*(?!/))*+(?:\*/)?"""
    r"""|(?P<rule>@import\s++)?(?:url\(\s*+(?:"(?P<double>(?:[^"\\\n]|\\.)*+)"|'(?P<single>(?:[^'\\\n]|\\.)*+)'"""
    r"""|(?P<bare>(?:[^\s"'()\\]|\\.)++))\s*+\))"""
    r"""|@import\s++(?:"(?P<import_double>(?:[^"\\\n]|\\.)*+)"|'(?P<import_single>(?:[^'\\\n]|\\.)*+)')"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|(.))", re.DOTALL)
_LARGEST_CHARACTER = 0x10FFFF
_REFERENCES = ("double", "single", "bare", "import_double", "import_single")


def rewrite_css(css: str, address: CssAddress) -> str:
    """Return a style sheet with its addresses replaced."""

    def replaced(found: re.Match[str]) -> str:
        name = next((name for name in _REFERENCES if found[name] is not None), None)
        if name is None:
            return found[0]
        is_sheet = found["rule"] is not None or name.startswith("import")
        new = address(_unescaped(found[name]), is_sheet)
        if new is None:
            return found[0]
        written = f'"{_quoted(new)}"'
        return f"@import {written}" if name.startswith("import") else f"{found['rule'] or ''}url({written})"

    return _PART.sub(replaced, css)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _character(found[1]) if found[1] else found[2], text) if "\\" in text else text


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 0 < code <= _LARGEST_CHARACTER and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _quoted(address: str) -> str:
    # A `<` could end the style element that holds the sheet.
    return address.replace("\\", "%5C").replace('"', "%22").replace("\n", "").replace("<", "%3C")
