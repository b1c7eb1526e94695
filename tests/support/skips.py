"""A test that did not run, or was expected to fail, fails the run unless tests/allowed-skips.txt names it and why."""

from pathlib import Path

import pytest

ALLOWED = "allowed-skips.txt"
OFFENCES = "offences"


def pytest_configure(config: pytest.Config) -> None:
    """Watch the run that begins."""
    allowed = read_allowed(config.rootpath / "tests" / ALLOWED)
    config.pluginmanager.register(SkipPolicy(config, allowed), "skip-policy")


def read_allowed(file: Path) -> frozenset[str]:
    """Return the tests that the list names; each must come with its reason."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return frozenset(_nodeid(line) for line in lines if line.strip() and not line.startswith("#"))


class SkipPolicy:
    """Sees every report of a run, and fails the run for what did not run as it should."""

    def __init__(self, config: pytest.Config, allowed: frozenset[str]) -> None:
        self.options = config.option
        self.allowed = allowed
        self.offences: dict[str, str] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._note(report.nodeid, _reason(report))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "wasxfail"):
            self._note(report.nodeid, f"expected to fail: {report.wasxfail or 'no reason given'}")
        elif report.skipped:
            self._note(report.nodeid, _reason(report))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        if self.options.keyword or getattr(self.options, "lf", False):
            return
        expression = self.options.markexpr
        for item in items:
            if not _left_out_as_soak(item, expression):
                self._note(item.nodeid, f"deselected by -m {expression!r}" if expression else "deselected")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Take over what one of several test processes left out: only they collect."""
        self.offences |= getattr(node, "workeroutput", {}).get(OFFENCES, {})

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        getattr(session.config, "workeroutput", {})[OFFENCES] = self.offences
        if self.offences and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.offences:
            return
        terminalreporter.section("tests that did not run as they should", red=True, bold=True)
        for nodeid, what in self.offences.items():
            terminalreporter.write_line(f"{nodeid}: {what}")
        terminalreporter.write_line(f"This fails the run. To allow one, name it and the reason in tests/{ALLOWED}.")

    def _note(self, nodeid: str, what: str) -> None:
        if nodeid not in self.allowed:
            self.offences[nodeid] = what


def _nodeid(line: str) -> str:
    nodeid, _, reason = line.partition("  # ")
    if not reason.strip():
        raise pytest.UsageError(f"tests/{ALLOWED}: {line!r} gives no reason; write: nodeid  # reason")
    return nodeid.strip()


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return f"skipped: {text.removeprefix('Skipped: ')}"


def _left_out_as_soak(item: pytest.Item, expression: str) -> bool:
    """Say whether `make test` left the test to `make soak`, or the other way round."""
    is_soak = item.get_closest_marker("soak") is not None
    return expression == ("not soak" if is_soak else "soak")
