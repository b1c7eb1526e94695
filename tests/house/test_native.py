import ctypes
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import assets, environment, native, setup, system_packages, wheelhouse
from tools.console import SetupError

ANSWER = '#include "answer.h"\n__attribute__((visibility("default"))) int answer(void) { return ANSWER; }\n'
BROKEN = "int answer(void) { return nothing; }\n"
WITHOUT_HEADERS = "echo 'probe.c:1:10: fatal error: stdint.h: No such file or directory' >&2; exit 1"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of small sources, which make a library in another."""
    folder = tmp_path / "native"
    folder.mkdir()
    (folder / "answer.c").write_text(ANSWER, encoding="ascii")
    (folder / "answer.h").write_text("#define ANSWER 42\nint answer(void);\n", encoding="ascii")
    monkeypatch.setattr(native, "SOURCES", folder)
    monkeypatch.setattr(native, "LIBRARY", tmp_path / "_native.so")
    monkeypatch.setattr(native, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(native, "STAMP", tmp_path / "cache" / "native.stamp")
    return folder


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder that programs are found in, with nothing in it yet."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(system_packages, "SYSTEM_FOLDERS", ())
    return folder


@pytest.fixture(scope="module")
def compiler() -> str:
    """The command of the compiler that is really here, as it must be called where PATH is another."""
    found = system_packages.find(native.COMPILER)
    assert found is not None, "there is no C compiler; `make test` would have said so"
    return f'PATH="{os.environ["PATH"]}" exec {found} "$@"'


def put(program: Path, commands: str) -> None:
    program.write_text(f"#!/bin/sh\n{commands}\n", encoding="utf-8")
    program.chmod(0o755)


def answer() -> int:
    """Ask the library, from a copy: one that is loaded already would be taken again."""
    copy = shutil.copy(native.LIBRARY, native.LIBRARY.with_name(f"{native.LIBRARY.stat().st_mtime_ns}.so"))
    return int(ctypes.CDLL(str(copy)).answer())


def made() -> int:
    """Return what differs when the library was made again."""
    return native.LIBRARY.stat().st_mtime_ns


def test_the_library_is_compiled_from_its_sources(sources: Path) -> None:
    native.ensure()
    assert answer() == 42
    assert sorted(file.name for file in native.STAMP.parent.iterdir()) == ["native.stamp"]


def test_a_library_is_left_alone_while_nothing_changed(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    native.ensure()
    before = made()
    capsys.readouterr()
    native.ensure()
    assert made() == before
    assert capsys.readouterr().out == ""


def change_a_header(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (sources / "answer.h").write_text("#define ANSWER 43\nint answer(void);\n", encoding="ascii")


def add_a_source(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (sources / "more.c").write_text("int more(void);\nint more(void) { return 1; }\n", encoding="ascii")


def change_the_flags(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "FLAGS", (*native.FLAGS, "-g"))


def change_the_compiler(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = system_packages.find(native.COMPILER)
    folder = sources.with_name("other")
    folder.mkdir()
    put(folder / "cc", f'exec {found} "$@"')
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def remove_the_library(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native.LIBRARY.unlink()


@pytest.mark.parametrize(
    "change", [change_a_header, add_a_source, change_the_flags, change_the_compiler, remove_the_library]
)
def test_a_change_makes_the_library_anew(
    sources: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    native.ensure()
    before = made()
    change(sources, monkeypatch)
    native.ensure()
    assert made() != before
    assert answer() == (43 if change is change_a_header else 42)


def test_what_does_not_compile_is_told_by_the_compiler_and_leaves_the_library_before(sources: Path) -> None:
    native.ensure()
    before = made()
    (sources / "answer.c").write_text(BROKEN, encoding="ascii")
    with pytest.raises(
        SetupError, match=r"^Could not compile the native library: \S+/answer\.c:1:\d+: error: .+$"
    ) as caught:
        native.ensure()
    assert "nothing" in caught.value.full
    assert made() == before
    with pytest.raises(SetupError, match="Could not compile the native library"):
        native.ensure()


def test_a_killed_build_leaves_nothing_half(sources: Path, programs: Path, compiler: str) -> None:
    killed = 'case "$*" in *answer.c*) while [ "$1" != -o ]; do shift; done; echo half > "$2"; kill -9 $$;; esac'
    put(programs / "cc", f"{killed}\n{compiler}")
    with pytest.raises(SetupError, match="Could not compile the native library"):
        native.ensure()
    assert not native.LIBRARY.exists()


@pytest.mark.parametrize(
    ("platform", "has_apt", "said"),
    [
        ("linux", True, "Install with: sudo apt-get install gcc libc6-dev"),
        ("linux", False, "Install with your system's package manager, then run this again."),
        ("darwin", False, "Install with: xcode-select --install"),
    ],
)
def test_a_missing_compiler_is_named_with_what_to_install(platform: str, has_apt: bool, said: str) -> None:
    line = system_packages.advice([native.COMPILER], platform, has_apt=has_apt)
    assert line == f"Missing: a C compiler with its headers. {said}"


def test_without_a_compiler_there_is_advice(sources: Path, programs: Path) -> None:
    with pytest.raises(native.CompilerMissingError, match=r"^Missing: a C compiler with its headers\. Install with"):
        native.ensure()
    assert not native.LIBRARY.exists()


def test_a_compiler_without_headers_is_as_good_as_none(sources: Path, programs: Path) -> None:
    put(programs / "cc", WITHOUT_HEADERS)
    with pytest.raises(native.CompilerMissingError, match=r"^Missing: a C compiler with its headers\. ") as caught:
        native.ensure()
    assert "stdint.h: No such file" in caught.value.full


@pytest.mark.parametrize("before", [None, WITHOUT_HEADERS], ids=["no compiler", "no headers"])
def test_root_on_debian_gets_a_compiler_installed(
    sources: Path, programs: Path, compiler: str, before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if before:
        put(programs / "cc", before)
    put(programs / "later", compiler)
    log, move = (
        programs / "log",
        f"[ $1 = update ] || {shutil.which('mv', path=os.defpath)} {programs}/later {programs}/cc",
    )
    put(programs / "apt-get", f'echo "$@" >> {log}\n{move}')
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    native.ensure()
    assert answer() == 42
    assert log.read_text(encoding="utf-8").splitlines() == [
        "update",
        "install --yes --no-install-recommends gcc libc6-dev",
    ]


def test_a_library_outlives_its_compiler(sources: Path, request: pytest.FixtureRequest) -> None:
    native.ensure()
    before = made()
    request.getfixturevalue("programs")
    native.ensure()
    assert made() == before


def test_a_build_installs_nothing(sources: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(programs / "apt-get", "exit 1")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(native.CompilerMissingError):
        native.ensure(install=False)


@pytest.fixture
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set-up that brings nothing but the native library."""
    monkeypatch.setattr(environment, "ensure", lambda level: None)
    for part in (assets, wheelhouse):
        monkeypatch.setattr(part, "ensure", lambda: None)
    monkeypatch.setattr(system_packages, "require", lambda *programs: None)


@pytest.mark.usefixtures("sources", "nothing_else")
@pytest.mark.parametrize("level", ["runtime", "dev", "test"])
def test_every_level_of_set_up_brings_the_library(level: str) -> None:
    setup._set_up(level)
    assert answer() == 42


@pytest.mark.usefixtures("sources", "programs", "nothing_else")
def test_the_program_is_set_up_without_a_compiler_and_says_so_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    # It was made from other sources: the program must not call it.
    native.LIBRARY.touch()
    setup._set_up("runtime")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("Warning: Everything works without the native library, only indexing takes half as long")
    assert "Missing: a C compiler with its headers. Install with" in line
    assert not native.LIBRARY.exists()


@pytest.mark.usefixtures("programs", "nothing_else")
@pytest.mark.parametrize("level", ["dev", "test"])
def test_developing_takes_a_compiler(sources: Path, level: str) -> None:
    with pytest.raises(SetupError, match="Missing: a C compiler with its headers"):
        setup._set_up(level)
