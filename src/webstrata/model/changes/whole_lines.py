"""Reasons why lines that were added or removed as a whole matter."""

from collections.abc import Sequence
from dataclasses import dataclass

from webstrata.model.changes import wording
from webstrata.model.changes.availability import judge_status_lines
from webstrata.model.changes.changed_lines import MOST_CHARACTERS, compare_facts
from webstrata.model.changes.evidence import ChangeEvidence, shown
from webstrata.model.changes.facts import Fact, facts_in
from webstrata.model.changes.values import PageLine
from webstrata.model.changes.wording import Wording, content_words, wording_of

_HEADINGS = "123456"
_SENTENCE_WORDS = 8
_MOST_OF_A_LINE = 0.6
_ONE_SIDED_FACTS = 0.4
"""The weight of a fact that was added or removed with its line, as a share of that of a changed fact."""
_WARNING_WEIGHTS = {"removed": 0.6, "added": 0.55}
_TOPIC_WEIGHTS = {"removed": 0.4, "added": 0.25}
_ITEM_WEIGHTS = {"removed": 0.26, "added": 0.22}
_TEXT_WEIGHTS = {"removed": 0.26, "added": 0.2}


@dataclass(frozen=True)
class WholeLine:
    """A line that was added or removed, with its words."""

    line: PageLine
    wording: Wording
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        """Return the line's text."""
        return self.line.text


def read_line(line: PageLine) -> WholeLine:
    """Return a line with its words and facts."""
    text = line.text[:MOST_CHARACTERS]
    return WholeLine(line, wording_of(text), tuple(facts_in(text)))


def judge_whole(
    removed: Sequence[PageLine], added: Sequence[PageLine], reported: frozenset[str], evidence: ChangeEvidence
) -> None:
    """Collect the reasons of removed and added lines; the size of `reported` texts counts elsewhere."""
    gone, come = [read_line(line) for line in removed], [read_line(line) for line in added]
    lost_facts, won_facts = ([fact for line in side for fact in line.facts] for side in (gone, come))
    compare_facts(lost_facts, won_facts, evidence, one_sided=_ONE_SIDED_FACTS)
    lost, won = ([line.wording for line in side if line.text not in reported] for side in (gone, come))
    judge_status_lines(lost, won, evidence)
    for event, lines, others in (("removed", gone, come), ("added", come, gone)):
        _judge_roles(event, lines, others, evidence)
        for line in lines:
            if line.text not in reported:
                _weigh(event, line, evidence)


def _judge_roles(event: str, lines: Sequence[WholeLine], others: Sequence[WholeLine], evidence: ChangeEvidence) -> None:
    """Collect the warnings and topics that only one side has."""
    known = {key for line in others for key in line.wording.roles}
    for line in lines:
        alone = [key for key in line.wording.roles if key not in known]
        if any(role == wording.WARNING for role, _ in alone):
            evidence.add(f"warning_{event}", f"a warning was {event}: {shown(line.text)}", _WARNING_WEIGHTS[event])
        topics = [name for role, name in alone if role == wording.TOPIC]
        if topics:
            evidence.add("topic", f"text about {topics[0]} was {event}: {shown(line.text)}", _TOPIC_WEIGHTS[event])


def _weigh(event: str, line: WholeLine, evidence: ChangeEvidence) -> None:
    """Collect one line by its kind and its number of words."""
    size = len(content_words(line.wording.words))
    if size == 0 and not (line.line.kind == "t" and line.facts):
        return
    kind, text = line.line.kind, shown(line.text)
    if kind in _HEADINGS:
        evidence.add("heading", f"a heading was {event}: {text}", 0.15)
    elif kind == "l":
        weight = min(_MOST_OF_A_LINE, _ITEM_WEIGHTS[event] + 0.02 * size)
        evidence.add(f"item_{event}", f"a list item was {event}: {text}", weight)
    elif kind == "t":
        evidence.add(f"row_{event}", f"a table's row was {event}: {text}", 0.3)
    elif _is_sentence(line):
        weight = min(_MOST_OF_A_LINE, _TEXT_WEIGHTS[event] + 0.02 * size)
        evidence.add(f"text_{event}", f"text was {event}: {text}", weight)
    else:
        evidence.add(f"text_{event}", f"text was {event}: {text}", min(0.25, 0.04 * size))


def _is_sentence(line: WholeLine) -> bool:
    words = len(line.wording.words)
    return words >= _SENTENCE_WORDS or (words > 3 and line.text.rstrip().endswith((".", "!", "?", "。")))
