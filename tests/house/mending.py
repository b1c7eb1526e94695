"""Counted offences against the style: words, class names, function names, folders; the list of them only shrinks.

`python -m tests.house.mending` writes the list again after something was mended or moved, and refuses a longer one.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "webstrata"
TO_MEND = Path(__file__).parent / "words-to-mend.txt"
ALLOWED = Path(__file__).parent / "words-allowed.txt"
DEMO_SITE = PACKAGE / "demo" / "content"
COMMAND = ".venv/bin/python -m tests.house.mending"

MOST_MODULES = 30
"""How many modules a folder may have: `ls` still fits on a screen."""

BANNED = re.compile(
    r"\b(?:answer(?:s|ed|ing)?|told|tells|says|kept|keeps|knobs?|behind|whoever|somebody|nobody|stands|standing"
    r"|wishes|orders|story|news|books|desk|crew|behalf|tied|spelt|parted|met|meant|wanted|rooms?|doors?|house"
    r"|(?:a|the|its|their|next|every|each|whose|host's|hosts') turns?|takes? turns?|turns (?:at|on))\b",
    re.IGNORECASE,
)
"""The words of the style guide's table, as they are used in prose."""

_IRREGULAR = frozenset(
    {"begun", "bound", "built", "done", "drawn", "found", "given", "held", "kept", "laid", "lent", "made", "met"}
    | {"said", "sent", "shown", "spent", "taken", "told", "written"}
)
"""Participles that do not end in -ed and are no verb's present tense."""

_VALUE_WORDS = frozenset({"return", "yield", "tell", "whether"})
_CODE = re.compile(r"`[^`]*`")
_MARKUP = re.compile(r"\{[{%#].*?[%#}]\}|<script.*?</script>|<style.*?</style>|<[^>]*>", re.DOTALL)

Offences = Counter[tuple[str, str]]
"""How often each kind of offence is in each place."""


def offences() -> Offences:
    """Return what there is to mend, by kind and place."""
    found: Offences = Counter()
    classes: Counter[str] = Counter()
    for file in sorted(PACKAGE.rglob("*.py")):
        place, tree = file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        found["words", place] = sum(len(BANNED.findall(plain(text))) for text in prose(nodes))
        found["participles", place] = sum(map(acts_by_participle, nodes))
        classes.update(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    for file in _templates():
        text = _MARKUP.sub(" ", file.read_text(encoding="utf-8"))
        found["words", file.relative_to(ROOT).as_posix()] = len(BANNED.findall(plain(text)))
    for name, count in classes.items():
        found["class", name] = count if count > 1 and not name.startswith("_") else 0
    for folder, count in _modules().items():
        found["folder", folder] = count if count > MOST_MODULES else 0
    allowed = _allowed()
    return Counter({key: count for key, count in found.items() if count and key[1] not in allowed})


def prose(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the sentences of a module that people read: docstrings, helps of options, descriptions of settings."""
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
        elif isinstance(node, ast.Call):
            yield from (_text(keyword.value) for keyword in node.keywords if keyword.arg == "help")
            if isinstance(node.func, ast.Name) and node.func.id in ("setting", "_declare") and len(node.args) > 1:
                yield _text(node.args[1])


def plain(text: str) -> str:
    """Return a text without code and without the phrases that are allowed."""
    shown = _CODE.sub(" ", " ".join(text.split()))
    for phrase in _allowed():
        shown = shown.replace(phrase, " ")
    return shown


def acts_by_participle(node: ast.AST) -> bool:
    """Tell whether a function that does something is named by a past participle."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.decorator_list:
        return False
    first = node.name.strip("_").partition("_")[0]
    is_participle = first in _IRREGULAR or (first.endswith("ed") and len(first) > len("need"))
    docstring = (ast.get_docstring(node) or "").split()
    returns_nothing = isinstance(node.returns, ast.Constant) and node.returns.value is None
    returns_value = bool(docstring) and docstring[0].lower() in _VALUE_WORDS
    return is_participle and (returns_nothing or (bool(docstring) and not returns_value))


def listed() -> Offences:
    """Return what the list says there is to mend."""
    lines = [line for line in TO_MEND.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return Counter({(kind, place): int(count) for kind, place, count in (line.split() for line in lines)})


def totals(found: Offences) -> Counter[str]:
    """Return how much there is to mend of each kind."""
    sums: Counter[str] = Counter()
    for (kind, _), count in found.items():
        sums[kind] += count
    return sums


def write(found: Offences) -> None:
    """Write the list; ValueError when more of a kind would be on it than before."""
    before, now = totals(listed()) if TO_MEND.exists() else totals(found), totals(found)
    if grown := [f"{kind}: {now[kind]} instead of {before[kind]}" for kind in now if now[kind] > before[kind]]:
        raise ValueError(f"the list only shrinks; {', '.join(grown)}")
    head = f"# What is still to be mended: kind, place, count. It only shrinks; written by `{COMMAND}`.\n"
    rows = "".join(f"{kind} {place} {count}\n" for (kind, place), count in sorted(found.items()))
    TO_MEND.write_text(head + rows, encoding="utf-8")


def _templates() -> list[Path]:
    """Return the templates of pages; the demo's pages are the content of a site, not texts of the program."""
    return sorted(file for file in PACKAGE.rglob("*.html") if DEMO_SITE not in file.parents)


def _modules() -> Counter[str]:
    files = [file for file in PACKAGE.rglob("*.py") if file.name != "__init__.py"]
    return Counter(file.parent.relative_to(ROOT).as_posix() for file in files)


@cache
def _allowed() -> tuple[str, ...]:
    """Return the phrases, classes and folders that are allowed; each has a reason in the list."""
    lines = [line for line in ALLOWED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    pairs = [line.partition(" | ") for line in lines]
    if wrong := [phrase for phrase, _, reason in pairs if not reason.strip()]:
        raise ValueError(f"{ALLOWED.name}: no reason for {', '.join(wrong)}")
    return tuple(phrase for phrase, _, _ in pairs)


def _text(node: ast.expr) -> str:
    return "".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


if __name__ == "__main__":
    try:
        write(offences())
    except ValueError as error:
        sys.exit(str(error))
