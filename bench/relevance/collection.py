"""A collection to measure on: pages, and questions with the pages that answer them."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Page:
    name: str
    language: str
    title: str
    text: str


@dataclass(frozen=True)
class Question:
    language: str
    text: str
    grades: dict[str, int]
    """How well pages answer, by name: 3 is best."""


@dataclass(frozen=True)
class Collection:
    pages: tuple[Page, ...]
    questions: tuple[Question, ...]


def read_collection(folder: Path) -> Collection:
    """Return the collection in a folder: pages*.txt with `# topic` and `en: title | text`, and questions.txt."""
    pages = [page for path in sorted(folder.glob("pages*.txt")) for page in _pages(path.read_text(encoding="utf-8"))]
    lines = (folder / "questions.txt").read_text(encoding="utf-8").splitlines()
    return Collection(tuple(pages), tuple(_question(line) for line in lines if line.strip()))


def _pages(text: str) -> list[Page]:
    found: list[Page] = []
    topic = ""
    counts: dict[str, int] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            topic, counts = line[1:].strip(), {}
            continue
        language, _, rest = line.partition(":")
        title, _, body = rest.partition("|")
        counts[language] = counts.get(language, 0) + 1
        found.append(Page(f"{topic}.{counts[language]}.{language}", language, title.strip(), body.strip()))
    return found


def _question(line: str) -> Question:
    language, text, grades = (part.strip() for part in line.split("|"))
    pairs = (pair.split("=") for pair in grades.split())
    return Question(language, text, {f"{name}.{language}": int(grade) for name, grade in pairs})
