"""Collections for pywb, also served by a real one."""

import json
import socket
import zipfile
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.cli.conftest import CommandLine
from tests.cli.test_exporting import SITE, crawled
from tests.support.foreign import foreign_programs, run
from tests.support.processes import running

__all__ = ["crawled"]


def lines(folder: Path) -> list[tuple[str, dict[str, str]]]:
    parts = [line.split(" ", 2) for line in (folder / "indexes/index.cdxj").read_text().splitlines()]
    return [(f"{key} {moment}", json.loads(fields)) for key, moment, fields in parts]


def test_a_collection_links_the_files_of_a_job_and_is_updated_in_place(
    crawled: CommandLine, data_dir: Path, tmp_path: Path
) -> None:
    done = crawled("replay-index-job", "--id", "2", "--json")
    assert done.code == 0, done.err
    folder = data_dir / "collections" / "job-2"
    assert (folder / "archive/b.warc.gz").samefile(data_dir / "archive/site/two/warcs/b.warc.gz")
    first = lines(folder)
    assert [key for key, _ in first] == sorted(key for key, _ in first)
    (folder / "archive" / "own.txt").write_text("an operator's")
    assert crawled("replay-index-job", "2").code == 0
    again = lines(folder)
    names = {place["filename"] for _, place in again}
    assert {path.name for path in (folder / "archive").iterdir()} == {*names, "own.txt"}
    assert [(key, place["url"]) for key, place in again] == [(key, place["url"]) for key, place in first]
    (data_dir / "archive/site/two/warcs/b.warc.gz").unlink()
    assert "is missing" in crawled("replay-index-job", "2").message
    assert lines(folder) == again
    assert {path.name for path in (folder / "archive").iterdir()} == {*names, "own.txt"}
    assert crawled("replay-index-job", "1", "--collections-dir", str(tmp_path / "other")).code == 0
    assert len(lines(tmp_path / "other" / "job-1")) == 2


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_pywb_serves_a_collection_and_its_revisits(crawled: CommandLine, data_dir: Path, tmp_path: Path) -> None:
    programs = foreign_programs("pywb", ["pywb==2.10.0", "setuptools<81"])
    assert crawled("replay-index-job", "2").code == 0
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    home = f"http://127.0.0.1:{port}/job-2"
    serve: list[str | Path] = [programs / "pywb", "--bind", "127.0.0.1", "--port", str(port), "--directory", data_dir]
    with running(serve, tmp_path / "log", lambda: is_up(home)):
        for path, title in (("", b"<title>Home</title>"), ("new", b"<title>New</title>")):
            with urlopen(f"{home}/20260102120000id_/{SITE}/{path}", timeout=30) as response:
                assert response.read() == title


def is_up(url: str) -> bool:
    try:
        with urlopen(f"{url}/", timeout=5):
            return True
    except (URLError, ConnectionError):
        return False


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_the_reference_tool_accepts_our_wacz_files_and_we_accept_its(crawled: CommandLine, tmp_path: Path) -> None:
    programs = foreign_programs("wacz", ["wacz==0.5.0", "setuptools<81"])
    ours, theirs = tmp_path / "ours.wacz", tmp_path / "theirs.wacz"
    for job in ("1", "2"):
        assert crawled("export", "--job", job, "--output", str(ours), "--force").code == 0
        run([programs / "wacz", "validate", "-f", ours])
    with zipfile.ZipFile(ours) as wacz:
        wacz.extract("archive/b.warc.gz", tmp_path)
    (tmp_path / "archive/b.warc.gz").rename(tmp_path / "copy.warc.gz")
    run([programs / "wacz", "create", "-o", theirs, "--detect-pages", tmp_path / "copy.warc.gz"])
    assert "imported already (job 2)" in crawled("import", str(theirs)).out
