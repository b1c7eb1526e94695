"""Imports of WARC, ARC and WACZ files: what arrives, and what hostile or damaged files do."""

import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.arcs import V1, arc_file, arc_records, page
from tests.support.fetched import fetched, write_warc
from tests.support.program import Program
from tests.support.waiting import wait_until

SITE = "https://imported.example"


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "a.warc.gz"
    write_warc(path, [fetched(f"{SITE}/{n}", f"<title>Lighthouse {n}</title>") for n in range(3)])
    return path


def make_wacz(path: Path, *entries: tuple[str, bytes]) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
        warnings.simplefilter("ignore")
        for name, data in entries:
            file.writestr(name, data)
    return path


def found(webstrata: CommandLine, words: str) -> list[str]:
    results = json.loads(webstrata("search", words, "--json").out)["results"]
    return sorted(result["url"] for result in results)


def left_in(data_dir: Path) -> list[str]:
    root = data_dir / "archive"
    return sorted(str(path.relative_to(root)) for path in root.rglob("*arc*") if path.is_file())


def test_files_are_copied_indexed_and_recognised(
    webstrata: CommandLine, warc: Path, tmp_path: Path, data_dir: Path
) -> None:
    done = webstrata("import", str(warc))
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "job 1 of source imported-example: 1 file"
    warc.rename(warc.with_name("renamed.warc.gz"))
    assert found(webstrata, "lighthouse") == [f"{SITE}/{n}" for n in range(3)]
    again = webstrata("import", str(warc.with_name("renamed.warc.gz")))
    assert (again.code, again.out) == (0, f"{warc.with_name('renamed.warc.gz')}: imported already (job 1)\n")
    output = tmp_path / "job.wacz"
    assert webstrata("export", "--job", "1", "--output", str(output)).code == 0
    assert "imported already (job 1)" in webstrata("import", str(output)).out
    old = tmp_path / "old.arc"
    records = arc_records(V1, (f"{SITE}/old", "19961104142103", "text/html", page("Ancient harbour")))
    old.write_bytes(arc_file(records, packed=False))
    both = webstrata("import", str(old), str(output), "--json")
    assert both.code == 0, both.err
    assert (json.loads(both.out)["job_id"], json.loads(both.out)["source_code"]) == (2, "imported-example")
    assert found(webstrata, "harbour") == [f"{SITE}/old"]
    copies = {path.rpartition("/")[2] for path in left_in(data_dir)}
    assert {"a.warc.gz", "old.arc"} == {name for name in copies if name.endswith((".gz", ".arc"))}


HOSTILE: dict[str, Callable[[Path, bytes], Path]] = {
    "leads out of the file": lambda path, warc: make_wacz(path, ("archive/../../evil.warc.gz", warc)),
    "'/etc/evil.warc.gz': the name leads": lambda path, warc: make_wacz(path, ("/etc/evil.warc.gz", warc)),
    "two entries are named": lambda path, warc: make_wacz(path, *[("archive/a.warc.gz", warc)] * 2),
    "times as large": lambda path, _: bomb(path),
    "incomplete ZIP file": lambda path, warc: cut(make_wacz(path, ("archive/a.warc.gz", warc))),
    "is encrypted": lambda path, warc: mark_encrypted(make_wacz(path, ("archive/a.warc.gz", warc))),
    "no WARC files in its folder": lambda path, warc: make_wacz(path, ("other/a.warc.gz", warc)),
    "not the one in datapackage.json": lambda path, warc: make_wacz(
        path,
        ("archive/a.warc.gz", warc),
        ("datapackage.json", b'{"resources": [{"path": "archive/a.warc.gz", "hash": "sha256:00"}]}'),
    ),
    "datapackage.json is not JSON": lambda path, warc: make_wacz(
        path, ("archive/a.warc.gz", warc), ("datapackage.json", b"[" * 100_000)
    ),
    "Bad CRC-32": lambda path, warc: flip(make_wacz(path, ("archive/a.warc.gz", warc))),
    "no WARC record in it": lambda path, _: make_wacz(path, ("archive/a.warc.gz", b"garbage" * 100)),
}


@pytest.mark.parametrize("url", ["http://bare.example", "http://bare.example?page=2"])
def test_addresses_without_a_path_are_imported_as_other_crawlers_write_them(
    webstrata: CommandLine, tmp_path: Path, url: str
) -> None:
    path = tmp_path / "bare.warc.gz"
    write_warc(
        path, [fetched("http://[broken/", "<title>No address</title>"), fetched(url, "<title>Bare harbour</title>")]
    )
    done = webstrata("import", str(path))
    assert (done.code, done.out.splitlines()[0]) == (0, "job 1 of source bare-example: 1 file"), done.err
    assert len(found(webstrata, "harbour")) == 1


def bomb(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("archive/a.warc", bytes(20_000_000))
    return path


def cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-40])
    return path


def flip(path: Path) -> Path:
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    return path


def mark_encrypted(path: Path) -> Path:
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    return path


def test_hostile_and_damaged_files_are_refused_and_leave_nothing(
    webstrata: CommandLine, warc: Path, tmp_path: Path, data_dir: Path
) -> None:
    data = warc.read_bytes()
    for number, (reason, make) in enumerate(HOSTILE.items()):
        done = webstrata("import", str(make(tmp_path / f"{number}.wacz", data)))
        assert (done.code, reason in done.err) == (1, True), (reason, done.err)
    other = tmp_path / "other.warc.gz"
    write_warc(other, [fetched("https://elsewhere.example/")])
    assert "of several sites" in webstrata("import", str(warc), str(other)).message
    assert "nothere" in webstrata("import", str(warc), "--source", "nothere").message
    assert webstrata("show-job", "1").code == 1
    assert left_in(data_dir) == []
    assert not list(tmp_path.parent.rglob("evil*"))


@pytest.mark.soak
def test_an_import_that_was_killed_continues_and_nothing_is_there_twice(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "many.warc.gz"
    write_warc(path, [fetched(f"{SITE}/{n}", f"<title>Page {n}</title>{n}" * 50) for n in range(2_000)])
    root = tmp_path / "data" / "archive"
    for wanted in (".imports/*/warcs/*", "*/import-*/warcs/*.warc.gz", "*/import-*/warcs/captures.cdxj"):
        with program.started("import", str(path)):
            wait_until(lambda wanted=wanted: any(root.glob(wanted)), f"{wanted} is there")  # type: ignore[misc]
    done = program.run("import", str(path))
    assert done.returncode == 0, done.stderr
    assert "imported already (job 1)" in done.stdout
    assert [path.name for path in root.rglob("*.warc.gz")] == ["many.warc.gz"]
    listed = json.loads(program.run("show-job", "1", "--json").stdout)
    assert listed["indexed_page_count"] == 2_000
    assert program.run("show-job", "2").returncode == 1
