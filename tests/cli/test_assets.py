"""`webstrata assets export`: the newest version of every asset as a file."""

import json
from pathlib import Path

from tests.assets.archives import Archive, html, png
from tests.assets.plugins import Products
from tests.cli.conftest import CommandLine
from webstrata.assets.media import MediaPlugin
from webstrata.assets.page import PagePlugin
from webstrata.db.engine import Database


def archive_of(database: Database, data_dir: Path) -> Archive:
    """Return an archive of two sources, whose assets are in the database, in WARC files and in files."""
    archive = Archive(database, data_dir / "archive")
    plugins = PagePlugin(), MediaPlugin(), Products()
    logo = png("/logo.png", b"logo")
    for page in (html("/", "Old."), html("/", "product:mug=5")):
        archive.run(archive.index(archive.job(page, logo, source="one")), *plugins)
    archive.run(archive.job(html("/a.txt", "Two."), html("/a.txt/b", "Below."), source="two"), *plugins)
    return archive


def test_assets_are_written_under_their_paths(
    webstrata: CommandLine, database: Database, data_dir: Path, tmp_path: Path
) -> None:
    archive_of(database, data_dir)
    done = webstrata("assets", "export", "--output", str(tmp_path / "out"))
    assert (done.code, done.out) == (0, f"5 assets written to {tmp_path / 'out'}\n"), done.err
    files = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*.*")}
    contents = {name: path.read_bytes() for name, path in files.items() if path.is_file()}
    (clash,) = (name for name in contents if name.startswith("two/page~"))
    assert contents.pop(clash) == b"Title\n\nBelow.\n"
    assert (tmp_path / "out/one/products/mug").read_bytes() == b"5"
    assert contents == {
        "one/page/site.example/index.txt": b"Title\n\nproduct:mug=5\n",
        "one/media/image/site.example/logo.png": b"logo",
        "two/page/site.example/a.txt": b"Title\n\nTwo.\n",
    }


def test_one_source_can_be_exported_alone(
    webstrata: CommandLine, database: Database, data_dir: Path, tmp_path: Path
) -> None:
    archive_of(database, data_dir)
    done = webstrata("assets", "export", "--source", "ONE", "--output", str(tmp_path / "out"), "--json")
    told = json.loads(done.out)
    assert (told["files"], told["unreadable"]) == (3, 0)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["one"]
    unknown = webstrata("assets", "export", "--source", "three", "--output", str(tmp_path / "out"))
    assert unknown.code == 1
    assert "there is no source 'three'" in unknown.message


def test_an_asset_whose_bytes_are_gone_is_counted_and_the_others_are_written(
    webstrata: CommandLine, database: Database, data_dir: Path, tmp_path: Path
) -> None:
    archive = archive_of(database, data_dir)
    for folder in archive.root.glob("job-*"):
        for file in folder.rglob("*.warc.gz"):
            file.unlink()
    done = webstrata("assets", "export", "--output", str(tmp_path / "out"))
    assert done.code == 0
    assert "4 assets written" in done.out
    assert "1 asset could not be read" in done.out
