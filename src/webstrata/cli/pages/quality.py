"""`quality`: is a saved response a good capture of its page, or an error, a block page or an empty shell?"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.pages.saved_pages import checked_url, file_bytes, saved_page
from webstrata.cli.start import print_json
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.model.quality import Quality

verbs = typer.Typer()

_UNKNOWN_URL = "http://unknown.invalid/"


@command(verbs, example="webstrata quality page.html --url https://example.org/ --status 200")
def quality(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Saved HTML page, gzipped or not; - reads standard input.", show_default=False
        ),
    ],
    url: Annotated[str, typer.Option(metavar="URL", help="URL that was requested.")] = "",
    status: Annotated[
        int | None, typer.Option(min=100, max=999, metavar="N", help="HTTP status of the response.")
    ] = None,
    headers: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Headers of the response, as a JSON object.")
    ] = None,
    final_url: Annotated[str | None, typer.Option(metavar="URL", help="URL that the redirects ended at.")] = None,
    as_json: AsJson = False,
) -> None:
    """Rate how useful a saved page would be as a capture, from 1 (good) to 0 (useless), with the reasons."""
    from webstrata.content.reader.page_reader import PageReader
    from webstrata.content.reader.page_requests import ReadQuality

    named = _headers(headers)
    content = saved_page(file, named.get("content-encoding"))
    _check_page(file, content, status)
    request = ReadQuality(
        checked_url(url) or _UNKNOWN_URL, status, named, content, checked_url(final_url or "") or None
    )
    reader = PageReader()
    try:
        judged = reader.quality(request)
    finally:
        reader.close()
    if as_json:
        print_json({"quality": judged.quality, "kind": judged.kind.value, "reasons": list(judged.reasons)})
    else:
        print(_sentence(judged))


def _check_page(file: str, content: bytes, status: int | None) -> None:
    """Refuse a file that is not a page; with an error status the content does not matter."""
    from webstrata.content.kinds import is_binary

    is_success = status is None or 200 <= status <= 299
    if is_success and is_binary(content):
        raise UsageError(f"{file} is not a page: it holds binary data, neither HTML nor text nor a PDF")


def _sentence(judged: "Quality") -> str:
    from webstrata.logs import harmless

    return harmless(f"{judged.kind.value}, quality {judged.quality:g}: {'; '.join(judged.reasons)}")


def _headers(path: Path | None) -> dict[str, str]:
    """Return headers from a JSON object, whose values may be lists, or from a JSON list of pairs."""
    if path is None:
        return {}
    wrong = UsageError(f"{path} must hold the headers as a JSON object of names and values")
    try:
        read = json.loads(file_bytes(str(path)))
    except (ValueError, RecursionError):
        raise wrong from None
    pairs = list(read.items()) if isinstance(read, dict) else read
    if not isinstance(pairs, list) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise wrong
    return _join_headers(pairs)


def _join_headers(pairs: list[tuple[object, object]]) -> dict[str, str]:
    headers: dict[str, list[str]] = {}
    for name, value in pairs:
        values = value if isinstance(value, list) else [value]
        headers.setdefault(str(name).lower(), []).extend(str(one) for one in values)
    return {name: ", ".join(values) for name, values in headers.items()}
