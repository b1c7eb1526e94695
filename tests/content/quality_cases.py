"""Saved responses with the kind and the quality that each should be given, read from the files in `quality/`.

A case begins with `# name`, goes on with what is expected and what is known of the response, and ends with its body
after an empty line. `{{menu}}` and the like stand for parts that several pages share.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

URL = "https://www.example.org/guides/2024/vaccines.html"

_FOLDER = Path(__file__).parent / "quality"
_SENTENCE = (
    "The council voted on Tuesday to extend the opening hours of the swimming pool until nine in the evening, after a "
    "petition that more than two thousand residents had signed over the summer. "
)
_LINKS = "".join(f'<li><a href="/{name}">{name.title()}</a></li>' for name in ("news", "topics", "services", "contact"))
_SHARED = {
    "{{sentence}}": _SENTENCE,
    "{{story}}": 5 * f"<p>{_SENTENCE}</p>",
    "{{article}}": 20 * f"<p>{_SENTENCE}</p>",
    "{{menu}}": f"<header><nav><ul>{_LINKS}</ul></nav></header>",
    "{{footer}}": (
        "<footer><p>Example Agency, 12 Long Street, Springfield. All rights reserved.</p>"
        '<a href="/privacy">Privacy</a></footer>'
    ),
}


@dataclass(frozen=True)
class QualityCase:
    """A saved response, and what it should be taken for."""

    name: str
    kinds: tuple[str, ...]
    lowest: float
    highest: float
    url: str
    status: int | None
    headers: Mapping[str, str]
    final_url: str | None
    body: bytes


def quality_cases() -> list[QualityCase]:
    """Return all cases, by file and in the order of each file."""
    return [case for path in sorted(_FOLDER.glob("*.txt")) for case in _cases_of(path)]


def _cases_of(path: Path) -> Iterator[QualityCase]:
    _, *texts = f"\n{path.read_text(encoding='utf-8')}".split("\n# ")
    for text in texts:
        head, _, body = text.partition("\n\n")
        name, *lines = head.splitlines()
        yield _case(f"{path.stem}: {name}", [line.split(": ", 1) for line in lines], body)


def _case(name: str, fields: list[list[str]], body: str) -> QualityCase:
    named = {key: value for key, value in fields if key != "header"}
    lowest, highest = named["quality"].split(" to ")
    status = named.get("status", "200")
    return QualityCase(
        name=name,
        kinds=tuple(named["kind"].split(" or ")),
        lowest=float(lowest),
        highest=float(highest),
        url=named.get("url", URL),
        status=int(status) if status.isdecimal() else None,
        headers=dict(value.split(": ", 1) for key, value in fields if key == "header"),
        final_url=named.get("final-url"),
        body=_with_shared_parts(body.rstrip("\n")).encode(),
    )


def _with_shared_parts(body: str) -> str:
    for name, part in _SHARED.items():
        body = body.replace(name, part)
    return body
