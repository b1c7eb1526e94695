"""The native library, which indexing is quicker with: compiled from native/, never committed."""

import hashlib
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.console import CACHE, ROOT, SetupError, run, say
from tools.system_packages import Program, advice_here, apt_install, find, may_install

SOURCES = ROOT / "native"
LIBRARY = ROOT / "src" / "webstrata" / "content" / "_native.so"
STAMP = CACHE / "native.stamp"
FLAGS = (
    # No -march: a wheel travels to other processors.
    "-O3",
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fstack-protector-strong",
    # Some distributions' compilers define it, and defining it otherwise is a warning.
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=2",
)
COMPILER = Program(
    names=("cc", "gcc", "clang"),
    # Debian's gcc only recommends the headers.
    debian="gcc libc6-dev",
    macos="xcode-select --install",
    title="a C compiler with its headers",
)
PROBE = "#include <stdint.h>\n#include <string.h>\n"


class CompilerMissingError(SetupError):
    """No compiler here makes libraries; the message says how to get one."""


def ensure(*, install: bool = True) -> None:
    """Make the library what its sources say; a missing compiler is installed where we may, or the error says how."""
    if not _is_current():
        _build(_installed_compiler() if install else _working_compiler())


def discard() -> None:
    """Remove a library that cannot be made anew: one of other sources may not fit the program."""
    LIBRARY.unlink(missing_ok=True)


def _working_compiler() -> Path:
    """Return a compiler that makes libraries here: without headers none does."""
    compiler = find(COMPILER)
    if compiler is None:
        raise CompilerMissingError(advice_here([COMPILER]))
    with TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.c"
        probe.write_text(PROBE, encoding="ascii")
        try:
            _compile(compiler, [probe], probe.with_suffix(".so"))
        except SetupError as error:
            raise CompilerMissingError(advice_here([COMPILER]), error.output) from error
    return compiler


def _installed_compiler() -> Path:
    try:
        return _working_compiler()
    except CompilerMissingError:
        if not may_install():
            raise
    apt_install(COMPILER.debian.split())
    return _working_compiler()


def _build(compiler: Path) -> None:
    """Compile the library; a build that fails or is killed leaves the one before."""
    say("Compiling the native library")
    # Before the compiler reads them: a source that changes meanwhile is compiled again the next time.
    made_from = _inputs()
    CACHE.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=CACHE) as folder:
        made = Path(folder) / LIBRARY.name
        _compile(compiler, sorted(SOURCES.glob("*.c")), made)
        STAMP.unlink(missing_ok=True)
        made.replace(LIBRARY)
    STAMP.write_text(f"{made_from}\n{_identity(compiler)}", encoding="utf-8")


def _compile(compiler: Path, sources: Sequence[Path], library: Path) -> None:
    try:
        run([compiler, *FLAGS, "-o", library, *sources], "The C compiler failed.", {"LC_ALL": "C"})
    except SetupError as error:
        reason = next((line for line in error.output.splitlines() if "error" in line), str(error))
        raise SetupError(f"Could not compile the native library: {reason}", error.output) from error


def _is_current() -> bool:
    """Say whether the same sources, flags and compiler made the library; it may outlive the compiler."""
    if not (LIBRARY.is_file() and STAMP.is_file()):
        return False
    made_from, _, made_by = STAMP.read_text(encoding="utf-8").partition("\n")
    compiler = find(COMPILER)
    return made_from == _inputs() and (compiler is None or made_by == _identity(compiler))


def _inputs() -> str:
    """Return what changes when a source, the flags or the platform does."""
    state = hashlib.sha256(repr((sysconfig.get_platform(), FLAGS)).encode())
    for file in sorted(SOURCES.glob("*.[ch]")):
        content = file.read_bytes()
        state.update(f"{file.name} {len(content)}\n".encode() + content)
    return state.hexdigest()


def _identity(compiler: Path) -> str:
    """Return what changes when another compiler is installed; asking it for its version would take longer."""
    program = compiler.resolve()
    status = program.stat()
    return f"{program} {status.st_size} {status.st_mtime_ns}"
