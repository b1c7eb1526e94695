import pytest

SETTINGS = "[pytest]\nmarkers = soak: takes longer\n"
DID_NOT_RUN = "*tests that did not run as they should*"


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite with one passing test that obeys the policy, and no plugin but the policy."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile(".ini", pytest=SETTINGS)
    pytester.makepyfile(test_fine="def test_passes(): pass")
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return suite.runpytest_inprocess("-p", "tests.support.skips", *arguments)


def allow(suite: pytest.Pytester, line: str) -> None:
    suite.mkdir("tests")
    (suite.path / "tests" / "allowed-skips.txt").write_text(line + "\n", encoding="utf-8")


def test_a_run_without_skips_passes(suite: pytest.Pytester) -> None:
    assert run(suite).ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "import pytest\n@pytest.mark.skip(reason='no')\ndef test_it(): pass",
            "test_other.py::test_it: skipped: no",
        ),
        ("import pytest\ndef test_it(): pytest.skip('later')", "test_other.py::test_it: skipped: later"),
        ("import pytest\ndef test_it(): pytest.xfail('bug')", "test_other.py::test_it: expected to fail: *bug"),
        ("import pytest\n@pytest.mark.xfail\ndef test_it(): pass", "test_other.py::test_it: expected to fail: *"),
        ("import pytest\npytest.importorskip('no_such_module')", "test_other.py: skipped: *no_such_module*"),
    ],
    ids=["marked", "while running", "expected failure", "unexpected success", "module"],
)
def test_a_test_that_does_not_do_its_work_fails_the_run(suite: pytest.Pytester, body: str, said: str) -> None:
    suite.makepyfile(test_other=body)
    result = run(suite)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([DID_NOT_RUN, said])


def test_a_skip_that_the_list_names_with_its_reason_is_allowed(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_other="import pytest\ndef test_it(): pytest.skip('later')")
    allow(suite, "test_other.py::test_it  # needs hardware that few have")
    assert run(suite).ret == pytest.ExitCode.OK


def test_a_listed_skip_without_a_reason_stops_the_run(suite: pytest.Pytester) -> None:
    allow(suite, "test_other.py::test_it")
    result = run(suite)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*gives no reason*"])


def test_a_soak_test_may_be_left_to_its_own_run(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_other="import pytest\n@pytest.mark.soak\ndef test_it(): pass")
    assert run(suite, "-m", "not soak").ret == pytest.ExitCode.OK
    assert run(suite, "-m", "soak").ret == pytest.ExitCode.OK


@pytest.mark.parametrize("arguments", [["-m", "not slow"], ["--deselect", "test_other.py::test_it"]])
def test_leaving_out_other_tests_fails_the_run(suite: pytest.Pytester, arguments: list[str]) -> None:
    suite.makefile(".ini", pytest=SETTINGS + "    slow: another\n")
    suite.makepyfile(test_other="import pytest\n@pytest.mark.slow\ndef test_it(): pass")
    result = run(suite, *arguments)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([DID_NOT_RUN, "test_other.py::test_it: deselected*"])


def test_choosing_tests_by_name_is_free(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_other="def test_it(): pass")
    assert run(suite, "-k", "passes").ret == pytest.ExitCode.OK
