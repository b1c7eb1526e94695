"""The help pages: commands in sections, defaults, an example each, and no programmer's types."""

import re

import pytest
from typer.main import get_command

from tests.cli.conftest import CommandLine
from webstrata.cli.commands import SECTIONS
from webstrata.cli.main import program


def every_command() -> list[tuple[str, ...]]:
    """Return the words of every command that is not hidden and not a group."""
    found: list[tuple[str, ...]] = []
    for name, command in get_command(program).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        shown = {(name, part): c for part, c in inner.items()} if inner else {(name,): command}
        found += [words for words, c in shown.items() if not c.hidden]
    return found


def test_the_first_page_lists_every_command_in_its_section(plain_webstrata: CommandLine) -> None:
    page = plain_webstrata("--help").out
    headings = re.findall(r"^(\w.*):$", page, re.MULTILINE)
    assert headings == ["Options", *SECTIONS]
    assert re.findall(r"^  ([a-z][a-z-]+) ", page, re.MULTILINE) == [n for names in SECTIONS.values() for n in names]


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_a_page_has_one_sentence_an_example_and_no_types(plain_webstrata: CommandLine, words: tuple[str, ...]) -> None:
    page = plain_webstrata(*words, "--help").out
    usage, sentence, *_ = (" ".join(part.split()) for part in page.split("\n\n"))
    assert usage.startswith(f"Usage: webstrata {' '.join(words)} [OPTIONS]")
    assert re.fullmatch(r"[A-Z][^.]*(\.\w[^.]*)*\.", sentence), sentence
    assert f"Example:\n  webstrata {' '.join(words)}" in page
    assert not re.search(r"<\w+|x>=|\bNone\b", page), page


def test_an_example_is_a_command_line_that_is_understood(plain_webstrata: CommandLine) -> None:
    for words in every_command():
        page = plain_webstrata(*words, "--help").out
        flags = re.findall(r"--[a-z-]+", page.partition("Example:")[2])
        assert [flag for flag in flags if f"{flag} " not in page.partition("Example:")[0]] == [], words


def test_options_show_their_defaults(plain_webstrata: CommandLine) -> None:
    page = " ".join(plain_webstrata("archive", "--help").out.split())
    assert "--max-pages N Maximum number of URLs that a job fetches, not counting requisites of pages" in page
    assert "[default: 10,000]" in page
    assert "[default: 1, on loopback none]" in page
    assert "--fetcher http|null|browser|auto" in page
    page = " ".join(plain_webstrata("serve", "--help").out.split())
    assert "--worker / --no-worker Also run queued jobs, in a separate process. [default: --worker]" in page


@pytest.mark.parametrize("command", ["show-job", "stop-job", "resume-job", "retry-job", "index-job", "cleanup-job"])
def test_a_job_is_named_by_its_number_or_with_id(plain_webstrata: CommandLine, command: str) -> None:
    for arguments in (["7"], ["--id", "7"], ["7", "--id", "7"]):
        ended = plain_webstrata(command, *arguments)
        assert (ended.code, ended.message) == (1, "there is no job 7")
    assert plain_webstrata(command, "7", "--id", "8").code == 2
    assert plain_webstrata(command).code == 2
    assert "'seven'" in plain_webstrata(command, "seven").message
