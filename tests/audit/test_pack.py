"""Evidence packs: written, checked offline, and every way of tampering with one found by its place."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.fetched import fetched, write_warc
from webstrata.audit.pack import MANIFEST, PackContents, PackReport, write_pack
from webstrata.audit.pack_check import check_pack, is_pack
from webstrata.cli.main import run
from webstrata.errors import ConflictError, StorageError, UsageError, WarcError
from webstrata.warc.verify import verify

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SHOT = "artifacts/pdp/mobile/screenshot.png"
Entries = dict[str, bytes]


@pytest.fixture
def contents(tmp_path: Path) -> PackContents:
    warc = tmp_path / "session.warc.gz"
    write_warc(warc, [fetched(f"https://shop.example/{n}", b"<h1>Mug</h1>" * 40) for n in range(5)])
    shot, text = tmp_path / "shot.png", tmp_path / "text.txt"
    shot.write_bytes(b"\x89PNG" + bytes(range(256)) * 30)
    text.write_text("Blue mug")
    artifacts = {SHOT: shot, "artifacts/pdp/mobile/visible_text.txt": text}
    return PackContents({"id": "1f", "url": "https://shop.example/"}, artifacts, [warc], ["https://shop.example/1"])


@pytest.fixture
def pack(tmp_path: Path, contents: PackContents) -> PackReport:
    return write_pack(tmp_path / "shop.evidence.zip", contents, MOMENT)


def entries(path: Path) -> Entries:
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def rewritten(path: Path, change: Callable[[Entries], object]) -> Path:
    """Write the pack again, its checksums of ZIP right, after a change to its entries."""
    found = entries(path)
    change(found)
    with zipfile.ZipFile(path, "w") as opened:
        for name, data in found.items():
            opened.writestr(name, data)
    return path


def first_finding(path: Path) -> str:
    return str(check_pack(path).report.findings[0])


def test_a_pack_lists_every_file_with_its_digest_and_is_verified_offline(
    pack: PackReport, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = entries(pack.path)
    manifest = json.loads(found[MANIFEST])
    listed = {one["path"]: (one["size"], one["sha256"]) for one in manifest["files"]}
    assert listed == {name: (len(data), sha256(data).hexdigest()) for name, data in found.items() if name != MANIFEST}
    assert pack.manifest_sha256 == sha256(found[MANIFEST]).hexdigest()
    assert manifest["session"]["id"] == "1f"
    (tmp_path / "inner.wacz").write_bytes(found["archive.wacz"])
    assert verify([tmp_path / "inner.wacz"]).findings == []
    assert b"https://shop.example/1" in zipfile.ZipFile(io.BytesIO(found["archive.wacz"])).read("pages/pages.jsonl")
    assert run(["verify", str(pack.path), "--manifest-sha256", pack.manifest_sha256]) == 0
    assert f"manifest SHA-256 {pack.manifest_sha256}" in capsys.readouterr().out
    assert run(["verify", str(pack.path), "--manifest-sha256", "0" * 64, "--json"]) == 1
    assert "not 0000" in json.loads(capsys.readouterr().out)["findings"][0]["reason"]


def test_the_same_session_gives_the_same_manifest_of_artifacts(contents: PackContents, tmp_path: Path) -> None:
    plain = PackContents(contents.session, contents.artifacts)
    first, second = (write_pack(tmp_path / f"{n}.evidence.zip", plain, MOMENT) for n in "ab")
    assert first.manifest_sha256 == second.manifest_sha256
    assert first.path.read_bytes() == second.path.read_bytes()


def test_a_changed_byte_names_the_file(pack: PackReport) -> None:
    def change(found: Entries) -> None:
        found[SHOT] = found[SHOT][:-1] + b"x"

    assert first_finding(rewritten(pack.path, change)) == f"{pack.path / SHOT}: byte 0: it does not match its SHA-256"


def test_a_changed_record_is_named_by_its_offset(pack: PackReport, contents: PackContents) -> None:
    packed, inside = pack.path.read_bytes(), contents.warcs[0].read_bytes()
    middle = len(inside) // 2
    at = packed.index(inside) + middle
    pack.path.write_bytes(packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :])
    finding = check_pack(pack.path).report.findings[0]
    assert finding.path == pack.path / "archive.wacz/archive/session.warc.gz"
    assert 0 < finding.offset <= middle
    reasons = [one.reason for one in check_pack(pack.path).report.findings]
    assert "it does not match its SHA-256" in reasons


def test_missing_and_extra_files_are_named(pack: PackReport) -> None:
    assert "the manifest does not list" in first_finding(rewritten(pack.path, lambda found: found.update(more=b"x")))
    rewritten(pack.path, lambda found: (found.pop("more"), found.pop(SHOT)))
    assert first_finding(pack.path) == f"{pack.path / SHOT}: byte 0: the file is missing"
    rewritten(pack.path, lambda found: found.pop(MANIFEST))
    assert (
        first_finding(pack.path)
        == f"{pack.path}: byte 0: manifest.json is missing: the file is cut off, or no evidence pack"
    )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999])
def test_a_truncated_pack_is_damaged(pack: PackReport, share: float) -> None:
    data = pack.path.read_bytes()
    pack.path.write_bytes(data[: int(len(data) * share)])
    assert is_pack(pack.path)
    # In the middle of the pack the end of the WACZ file in it is found.
    assert any(reason in first_finding(pack.path) for reason in ("incomplete ZIP file", "cut off"))
    assert run(["verify", str(pack.path)]) == 1


def manifest_with(**changes: object) -> Callable[[Entries], None]:
    def change(found: Entries) -> None:
        manifest = json.loads(found[MANIFEST])
        manifest["files"][0] |= {name: value for name, value in changes.items() if name in manifest["files"][0]}
        manifest |= {name: value for name, value in changes.items() if name in manifest}
        found[MANIFEST] = json.dumps(manifest).encode()

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (manifest_with(path="../../etc/passwd"), "leads out of the pack"),
        (manifest_with(path="/etc/passwd"), "leads out of the pack"),
        (manifest_with(path="manifest.json"), "leads out of the pack"),
        (manifest_with(path=SHOT), "twice"),
        (manifest_with(size=-1), "without its size"),
        (manifest_with(size=5), "the manifest lists 5"),
        (manifest_with(sha256="abc"), "without its SHA-256"),
        (manifest_with(version=99), "this program reads version 1"),
        (manifest_with(format="other"), "not the manifest of an evidence pack"),
        (manifest_with(files={}), "lists no files"),
        (lambda found: found.update({MANIFEST: b"[" * 100_000}), "is not JSON"),
        (lambda found: found.update({MANIFEST: b"\xff\x00"}), "is not JSON"),
        (lambda found: found.update({"../outside": b"x"}), "leads out of the file"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(
    pack: PackReport, change: Callable[[Entries], None], reason: str
) -> None:
    assert reason in first_finding(rewritten(pack.path, change))


def test_a_zip_bomb_is_refused_before_it_is_read(pack: PackReport) -> None:
    found = entries(pack.path)
    with zipfile.ZipFile(pack.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
        for name, data in found.items():
            opened.writestr(name, bytes(30_000_000) if name == SHOT else data)
    assert "times as large as its compressed data" in first_finding(pack.path)


def test_a_pack_is_written_whole_or_not_at_all(contents: PackContents, tmp_path: Path) -> None:
    output = tmp_path / "new.evidence.zip"
    for artifacts, error in (
        ({"../x": tmp_path / "shot.png"}, UsageError),
        ({"manifest.json": tmp_path / "shot.png"}, UsageError),
        ({"a": tmp_path / "none"}, StorageError),
    ):
        with pytest.raises(error):
            write_pack(output, PackContents(contents.session, artifacts, contents.warcs), MOMENT)
    contents.warcs[0].write_bytes(contents.warcs[0].read_bytes()[:-200])
    with pytest.raises(WarcError):
        write_pack(output, contents, MOMENT)
    assert not list(tmp_path.glob("*.evidence.zip*")) + list(tmp_path.glob(".*part"))
    write_pack(output, PackContents({}, {}), MOMENT)
    with pytest.raises(ConflictError):
        write_pack(output, PackContents({}, {}), MOMENT)
