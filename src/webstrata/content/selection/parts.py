"""Reads only the selected parts of an HTML page: those of a CSS selector, without ignored elements and texts."""

from dataclasses import dataclass, replace

from webstrata.content.charset import text_of
from webstrata.content.kinds import PageKind
from webstrata.content.reader.page_requests import ReadPage
from webstrata.content.reading import Reading
from webstrata.content.tree import Document, Element, parse_html
from webstrata.errors import UsageError

_UTF_8 = "text/html; charset=utf-8"


def check_selector(selector: str) -> None:
    """Raise UsageError unless a text is a CSS selector."""
    try:
        parse_html("<p>").select(selector)
    except ValueError as error:
        raise UsageError(f"{selector[:80]!r} is not a CSS selector: {error}") from error


@dataclass(frozen=True)
class ReadParts(ReadPage):
    """Request to read the selected parts of a page."""

    selector: str | None = None
    ignored_selectors: tuple[str, ...] = ()
    ignored_texts: tuple[str, ...] = ()

    def read(self) -> Reading:
        """Read the parts in this process."""
        request: ReadPage = self
        if self.kind is PageKind.HTML:
            source = text_of(self.body.content, self.body.content_type)
            chosen = select_parts(source, self.selector, self.ignored_selectors)
            body = replace(self.body, content=chosen.encode("utf-8", "replace"), content_type=_UTF_8)
            request = ReadPage(self.kind, body, self.page_parameters)
        return without_lines(ReadPage.read(request), self.ignored_texts)


def select_parts(source: str, selector: str | None, ignored: tuple[str, ...]) -> str:
    """Return the HTML of the selected parts; a part inside another one is not repeated."""
    tree = parse_html(source)
    for one in ignored:
        tree.remove(one)
    if selector is None:
        return tree.html
    return f"<!doctype html><body>{''.join(part.html for part in _outermost(tree, selector))}</body>"


def _outermost(tree: Document, selector: str) -> list[Element]:
    found = list(tree.select(selector))
    chosen = {id(element) for element in found}
    return [element for element in found if not _is_inside(element, chosen)]


def _is_inside(element: Element, chosen: set[int]) -> bool:
    above = element.parent
    while isinstance(above, Element):
        if id(above) in chosen:
            return True
        above = above.parent
    return False


def without_lines(reading: Reading, texts: tuple[str, ...]) -> Reading:
    """Return a page without the lines that contain one of some texts, ignoring case."""
    if not texts:
        return reading
    folded = [text.casefold() for text in texts]
    lines = reading.text.split("\n")
    stays = [not any(text in line.casefold() for text in folded) for line in lines]
    return replace(
        reading,
        text="\n".join(line for line, stay in zip(lines, stays, strict=True) if stay),
        blocks=_letters(reading.blocks, stays),
        regions=_letters(reading.regions, stays),
    )


def _letters(letters: str, stays: list[bool]) -> str:
    if len(letters) != len(stays):
        return ""
    return "".join(letter for letter, stay in zip(letters, stays, strict=True) if stay)
