import ast
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.console import ROOT

PACKAGE = ROOT / "src" / "webstrata"
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
LONGEST_FILE = 500
PIN = re.compile(r"^(?P<name>[a-z0-9-]+(\[[a-z,]+\])?)==(?P<version>[^ ;]+)( ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def rooms_in_the_contract() -> set[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = (contract for contract in settings["contracts"] if contract["id"] == "rooms")
    return set(re.findall(r"[a-z_]+", " ".join(contract["layers"])))


def pins(lock: Path) -> dict[str, set[str]]:
    """Return the versions a lock allows of each package; for different Pythons they may differ."""
    found: dict[str, set[str]] = {}
    for match in filter(None, map(PIN.match, lock.read_text(encoding="utf-8").splitlines())):
        found.setdefault(match["name"], set()).add(match["version"])
    return found


def test_there_is_a_lock_for_each_way_to_install() -> None:
    assert {lock.stem for lock in LOCKS} == {"assets", "build", "dev", "npm", "runtime"}
    assert not (ROOT / "uv.lock").exists()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_names_packages_versions_and_hashes_and_nothing_else(lock: Path) -> None:
    lines = lock.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PIN.match(line) and not HASH.match(line)] == []
    after_pins = (lines[number + 1] for number, line in enumerate(lines) if PIN.match(line))
    assert all(HASH.match(line) for line in after_pins)


@pytest.mark.parametrize("name", ["runtime", "build"])
def test_a_development_environment_holds_what_the_program_runs_and_is_built_with(name: str) -> None:
    dev = pins(ROOT / "requirements" / "dev.lock")
    smaller = pins(ROOT / "requirements" / f"{name}.lock")
    assert {package: dev.get(package) for package in smaller} == smaller


@pytest.mark.parametrize(
    ("name", "extras"), [("runtime", ()), ("dev", ("browser", "notify", "postgres", "redis", "dev"))]
)
def test_a_lock_pins_every_dependency_that_the_project_names(name: str, extras: tuple[str, ...]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    wanted = {re.split(r"[^a-z0-9-]", line, maxsplit=1)[0] for line in named} - {project["name"]}
    assert wanted <= {package.partition("[")[0] for package in pins(ROOT / "requirements" / f"{name}.lock")}


def test_ci_calls_make() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/usr/bin/env bash\nset -euo pipefail\n")
    assert "make lint typecheck test" in text


@pytest.mark.parametrize("made", ["/src/webstrata/web/static/vendor/", "/src/webstrata/web/replay_static/vendor/"])
def test_what_set_up_fetches_or_compiles_is_never_committed(made: str) -> None:
    assert made in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_only_settings_reads_the_environment() -> None:
    readers = {module.relative_to(PACKAGE).as_posix() for module in modules() if any(environment_reads(module))}
    assert readers == {"settings/reading.py"}


def environment_reads(module: Path) -> Iterator[ast.AST]:
    names = {"environ", "environb", "getenv", "getenvb"}
    source = module.read_text(encoding="utf-8")
    if "environ" not in source and "getenv" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in names:
            yield node
        if isinstance(node, ast.ImportFrom) and node.module == "os" and names & {name.name for name in node.names}:
            yield node


def test_every_room_has_its_place_in_the_import_contract() -> None:
    rooms = {module.relative_to(PACKAGE).parts[0].removesuffix(".py") for module in modules()}
    assert rooms - {"__init__"} <= rooms_in_the_contract()


def test_every_room_is_a_package_that_the_import_contract_can_see() -> None:
    folders = {module.parent for module in modules() if "migrations" not in module.parts}
    assert {folder.relative_to(ROOT) for folder in folders if not (folder / "__init__.py").exists()} == set()


def test_no_file_is_too_long_to_read() -> None:
    lengths = {module.relative_to(ROOT): len(module.read_text(encoding="utf-8").splitlines()) for module in modules()}
    assert {file: lines for file, lines in lengths.items() if lines > LONGEST_FILE} == {}
