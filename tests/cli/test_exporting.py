"""Exports of captures: what other programs and we ourselves read of them."""

import gzip
import hashlib
import json
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.cli.conftest import CommandLine
from tests.support.arcs import V1, arc_file, arc_records, page
from tests.support.fetched import NOON, fetched
from tests.support.warcs import records
from webstrata.db.engine import Database
from webstrata.db.schema.collection_tables import ExportRow
from webstrata.db.schema.tables import Capture
from webstrata.model.captures import Original
from webstrata.warc.record import exchange
from webstrata.warc.writer import WarcFileWriter

SITE = "https://example.org"
LATER = NOON + timedelta(days=1)


@pytest.fixture
def crawled(data_dir: Path, webstrata: CommandLine) -> CommandLine:
    """Two jobs of a site; a page of the second is a revisit of one of the first."""
    first, second = data_dir / "archive/site/one/warcs/a.warc.gz", data_dir / "archive/site/two/warcs/b.warc.gz"
    home, moved = fetched(f"{SITE}/", "<title>Home</title>"), fetched(f"{SITE}/gone", "<p>gone", status=404)
    with WarcFileWriter(first) as writer:
        pair = exchange(home, writer.warcinfo_id)
        writer.append([*pair, *exchange(moved, writer.warcinfo_id)])
    with WarcFileWriter(second) as writer:
        again = fetched(f"{SITE}/", "<title>Home</title>", at=LATER)
        writer.append(exchange(again, writer.warcinfo_id, Original(pair[0].record_id, home.url, home.fetched_at)))
        writer.append(exchange(fetched(f"{SITE}/new", "<title>New</title>", at=LATER), writer.warcinfo_id))
    assert webstrata("seed-sources").code == 0
    for folder in (first.parent.parent, second.parent.parent):
        done = webstrata("register-job-dir", "--source", "hc", "--output-dir", str(folder), "--index")
        assert done.code == 0, done.err
    return webstrata


def cdx_lines(wacz: zipfile.ZipFile) -> list[tuple[str, dict[str, str]]]:
    lines = gzip.decompress(wacz.read("indexes/index.cdx.gz")).decode().splitlines()
    return [(" ".join(line.split(" ", 2)[:2]), json.loads(line.split(" ", 2)[2])) for line in lines]


def member(wacz: zipfile.ZipFile, place: dict[str, str]) -> bytes:
    data = wacz.read(f"archive/{place['filename']}")
    return gzip.decompress(data[int(place["offset"]) :][: int(place["length"])])


def test_a_wacz_file_of_a_job_holds_every_capture_and_what_its_revisits_refer_to(
    crawled: CommandLine, tmp_path: Path, database: Database
) -> None:
    output = tmp_path / "two.wacz"
    done = crawled("export", "--job", "2", "--output", str(output), "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert (report["captures"], report["pages"], report["originals"], report["unresolved"]) == (2, 2, 1, 0)
    with zipfile.ZipFile(output) as wacz:
        assert wacz.testzip() is None
        stored = {e.filename for e in wacz.infolist() if e.compress_type == zipfile.ZIP_STORED}
        assert {"archive/b.warc.gz", "archive/records.warc.gz", "indexes/index.cdx.gz"} <= stored
        lines = cdx_lines(wacz)
        assert [line[0] for line in lines] == sorted(line[0] for line in lines)
        for _, place in lines:
            assert f"WARC-Target-URI: {place['url']}\r\n".encode() in member(wacz, place)
        assert [place["mime"] for _, place in lines] == ["text/html", "warc/revisit", "text/html"]
        package = json.loads(wacz.read("datapackage.json"))
        for entry in package["resources"]:
            data = wacz.read(entry["path"])
            assert (entry["bytes"], entry["hash"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
        digest = hashlib.sha256(wacz.read("datapackage.json")).hexdigest()
        assert json.loads(wacz.read("datapackage-digest.json"))["hash"] == f"sha256:{digest}"
        pages = [json.loads(line) for line in wacz.read("pages/pages.jsonl").splitlines()]
        assert [page.get("url") for page in pages] == [None, f"{SITE}/", f"{SITE}/new"]
        assert (package["mainPageUrl"], package["mainPageDate"]) == (f"{SITE}/", "2026-01-02T12:00:00Z")
    with database.read() as session:
        (row,) = session.scalars(select(ExportRow))
    assert (row.kind, row.format, row.filters, row.item_count) == ("captures", "wacz", {"job": 2}, 2)
    assert crawled("verify", str(output)).code == 0
    flipped = bytearray(output.read_bytes())
    flipped[300] ^= 0xFF
    output.write_bytes(flipped)
    damaged = crawled("verify", str(output))
    assert (damaged.code, "archive/b.warc.gz is not" in damaged.out or "CRC" in damaged.out) == (1, True), damaged.out


@pytest.fixture
def unmodified(data_dir: Path, webstrata: CommandLine) -> CommandLine:
    """Two jobs of a site at an IP address; the page that the second requests was not modified."""
    page, gone = (
        fetched("http://127.0.0.1:8089/a", "<title>A</title>"),
        fetched("http://127.0.0.1:8089/a", "", status=304),
    )
    first, second = data_dir / "archive/site/one/warcs/a.warc.gz", data_dir / "archive/site/two/warcs/b.warc.gz"
    with WarcFileWriter(first) as writer:
        pair = exchange(page, writer.warcinfo_id)
        writer.append(pair)
    with WarcFileWriter(second) as writer:
        again = replace(gone, fetched_at=LATER)
        writer.append(exchange(again, writer.warcinfo_id, Original(pair[0].record_id, page.url, page.fetched_at)))
    assert webstrata("sources", "add", "local", "http://127.0.0.1:8089/").code == 0
    for folder in (first.parent.parent, second.parent.parent):
        done = webstrata("register-job-dir", "--source", "local", "--output-dir", str(folder), "--index")
        assert done.code == 0, done.err
    return webstrata


def test_other_tools_find_what_was_not_modified_and_sites_at_ip_addresses(
    unmodified: CommandLine, tmp_path: Path, data_dir: Path
) -> None:
    output = tmp_path / "two.wacz"
    assert unmodified("export", "--job", "2", "--output", str(output)).code == 0
    with zipfile.ZipFile(output) as wacz:
        lines = cdx_lines(wacz)
        pages = [json.loads(line) for line in wacz.read("pages/pages.jsonl").splitlines()]
    # wabac.js replays a revisit with status 304 as an empty response.
    assert [(key, place["status"]) for key, place in lines] == [
        ("1,0,0,127:8089)/a 20260101120000", "200"),
        ("1,0,0,127:8089)/a 20260102120000", "200"),
    ]
    assert [page.get("ts") for page in pages] == [None, "2026-01-02T12:00:00Z"]
    assert unmodified("replay-index-job", "2").code == 0
    index = (data_dir / "collections/job-2/indexes/index.cdxj").read_text().splitlines()
    # So does pywb; without that line it replays the capture that the revisit refers to.
    assert [line[:32] for line in index] == ["1,0,0,127:8089)/a 20260101120000"]


def test_entries_of_a_wacz_file_lie_where_wabac_looks_for_them(crawled: CommandLine, tmp_path: Path) -> None:
    output = tmp_path / "two.wacz"
    assert crawled("export", "--job", "2", "--output", str(output)).code == 0
    data = output.read_bytes()
    with zipfile.ZipFile(output) as wacz:
        entries = wacz.infolist()
    for entry in entries:
        local = int.from_bytes(data[entry.header_offset + 28 :][:2], "little")
        # It looks at the entry's own header only where the directory lists extra fields.
        assert local == 0 or entry.extra, entry.filename
    assert {"archive/b.warc.gz", "datapackage.json"} <= {entry.filename for entry in entries if not entry.extra}


def test_verifying_the_archive_finds_damage_wrong_offsets_and_missing_files(
    crawled: CommandLine, data_dir: Path, database: Database
) -> None:
    sound = crawled("verify", "--all")
    assert (sound.code, sound.out.endswith("no problems\n")) == (0, True), sound.out
    with database.write() as session:
        session.execute(update(Capture).where(Capture.id == 2).values(warc_offset=Capture.warc_offset + 1))
    (data_dir / "archive/site/two/warcs/b.warc.gz").unlink()
    found = [finding["reason"] for finding in json.loads(crawled("verify", "--all", "--json").out)["findings"]]
    assert found == [
        "the database has a capture here, but no record begins at this byte",
        "the file of job 2 is missing",
    ]
    assert "give files or folders, or --all" in crawled("verify").message


def test_a_source_and_a_url_are_exported_as_one_warc_file(crawled: CommandLine, tmp_path: Path) -> None:
    whole, single = tmp_path / "all.warc.gz", tmp_path / "home.warc.gz"
    assert crawled("export", "--source", "hc", "--format", "warc", "--output", str(whole)).code == 0
    assert crawled("export", "--url", f"{SITE}/", "--format", "warc", "--output", str(single)).code == 0
    kinds = [record.kind for record in records(whole)]
    assert (kinds.count("response"), kinds.count("revisit"), kinds.count("request")) == (3, 1, 4)
    assert [record.kind for record in records(single)] == ["warcinfo", "response", "revisit"]
    assert crawled("verify", str(whole), str(single)).code == 0


def test_files_that_are_not_compressed_and_arc_files_become_compressed_warc_records(
    webstrata: CommandLine, data_dir: Path, tmp_path: Path
) -> None:
    folder = data_dir / "archive/hc/old/warcs"
    with WarcFileWriter(tmp_path / "packed.warc.gz") as writer:
        writer.append(exchange(fetched(f"{SITE}/plain"), writer.warcinfo_id))
    folder.mkdir(parents=True)
    (folder / "plain.warc").write_bytes(gzip.decompress((tmp_path / "packed.warc.gz").read_bytes()))
    old = f"{SITE}/arc", "19961104142103", "text/html", page("Old")
    (folder / "old.arc.gz").write_bytes(arc_file(arc_records(V1, old), packed=True))
    assert webstrata("seed-sources").code == 0
    done = webstrata("register-job-dir", "--source", "hc", "--output-dir", str(folder.parent), "--index")
    assert done.code == 0, done.err
    output = tmp_path / "old.wacz"
    assert webstrata("export", "--job", "1", "-o", str(output)).code == 0
    with zipfile.ZipFile(output) as wacz:
        assert [name for name in wacz.namelist() if name.startswith("archive/")] == ["archive/records.warc.gz"]
        assert {place["url"] for _, place in cdx_lines(wacz)} == {f"{SITE}/plain", f"{SITE}/arc"}
        for _, place in cdx_lines(wacz):
            assert f"WARC-Target-URI: {place['url']}\r\n".encode() in member(wacz, place)


def test_a_withheld_capture_is_not_exported(crawled: CommandLine, tmp_path: Path) -> None:
    found = json.loads(crawled("search", "Home", "--every-capture", "--json").out)
    snapshot = str(min(result["id"] for result in found["results"]))
    done = crawled("retention", "withhold", snapshot, "--reason", "court order", "--confirm")
    assert done.code == 0, done.err
    output = tmp_path / "one.wacz"
    assert crawled("export", "--job", "1", "--output", str(output)).code == 0
    with zipfile.ZipFile(output) as wacz:
        assert [place["url"] for _, place in cdx_lines(wacz)] == [f"{SITE}/gone"]
        assert b"<title>Home</title>" not in gzip.decompress(wacz.read("archive/records.warc.gz"))


def test_a_refused_export_leaves_what_was_there(crawled: CommandLine, tmp_path: Path, data_dir: Path) -> None:
    output = tmp_path / "out" / "job.wacz"
    output.parent.mkdir()
    output.write_bytes(b"precious")
    assert "exists already" in crawled("export", "--job", "1", "--output", str(output)).message
    assert "give one of --job" in crawled("export", "--output", str(output), "--force").message
    assert crawled("export", "--job", "77", "--output", str(output), "--force").message == "there is no job 77"
    (data_dir / "archive/site/one/warcs/a.warc.gz").unlink()
    assert "is missing" in crawled("export", "--job", "1", "--output", str(output), "--force").message
    assert (output.read_bytes(), [path.name for path in output.parent.iterdir()]) == (b"precious", ["job.wacz"])
    assert crawled("export", "--url", "https://example.net/", "--output", str(output), "--force").code == 1
