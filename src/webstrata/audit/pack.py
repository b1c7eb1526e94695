"""Evidence packs: a ZIP file with a WACZ file, the artifacts of a session, and a manifest with every file's SHA-256."""

import json
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO

from webstrata import __version__
from webstrata.errors import StorageError, UsageError
from webstrata.storage.output_file import new_file
from webstrata.warc.packages.loose_wacz import write_loose_wacz

PACK_SUFFIX = ".evidence.zip"
PACK_FORMAT = "webstrata-evidence-pack"
PACK_VERSION = 1
MANIFEST = "manifest.json"
WACZ_NAME = "archive.wacz"

_COPY_BYTES = 1_048_576
_WACZ_IN_MEMORY = 16_777_216
_PACKED_ALREADY = (".wacz", ".gz", ".png", ".jpg", ".webp", ".zip")
_SAFE_NAME = re.compile(r"(?!\.{1,2}(?:/|$))[^/\\:\0]+(?:/(?!\.{1,2}(?:/|$))[^/\\:\0]+)*")


@dataclass(frozen=True)
class PackContents:
    """What goes into a pack."""

    session: Mapping[str, object]
    """The session's fields in the manifest: id, url, policy and so on, as JSON."""
    artifacts: Mapping[str, Path]
    """The artifacts by their paths in the pack, such as `artifacts/pdp/mobile/screenshot.png`."""
    warcs: Sequence[Path] = ()
    page_urls: Sequence[str] = ()
    """The addresses of the audited pages, which the WACZ file lists first."""


@dataclass(frozen=True)
class PackReport:
    """A pack that was written."""

    path: Path
    manifest_sha256: str
    """The digest of the manifest, with which one can prove that nothing in the pack was changed."""
    files: int
    bytes: int


def write_pack(output: Path, contents: PackContents, created_at: datetime, *, force: bool = False) -> PackReport:
    """Write an evidence pack, which appears when it is complete, and return the digest of its manifest.

    UsageError when a path in the pack is not a plain relative one; StorageError when a file cannot be read;
    WarcError when a WARC file is damaged.
    """
    _check_names(contents.artifacts)
    with new_file(output, force=force) as file, tempfile.SpooledTemporaryFile(_WACZ_IN_MEMORY) as wacz:
        if contents.warcs:
            write_loose_wacz(wacz, contents.warcs, str(contents.session.get("url", "")), contents.page_urls)
        with zipfile.ZipFile(file, "w", allowZip64=True) as packed:
            writer = _Writer(packed, created_at)
            if contents.warcs:
                wacz.seek(0)
                writer.add(WACZ_NAME, wacz)
            for name, path in sorted(contents.artifacts.items()):
                with _open_file(path) as artifact:
                    writer.add(name, artifact)
            digest = writer.add_manifest(contents.session)
        size = file.tell()
    return PackReport(output, digest, len(writer.files), size)


class _Writer:
    """Writes the files of a pack and lists them."""

    def __init__(self, packed: zipfile.ZipFile, created_at: datetime) -> None:
        self._zip = packed
        self._created_at = created_at.astimezone(UTC)
        self.files: list[dict[str, object]] = []

    def add(self, name: str, source: IO[bytes]) -> None:
        """Add a file."""
        size, digest = self._write(name, _pieces(source))
        self.files.append({"path": name, "size": size, "sha256": digest})

    def add_manifest(self, session: Mapping[str, object]) -> str:
        """Add the manifest, and return its digest."""
        manifest = {
            "format": PACK_FORMAT,
            "version": PACK_VERSION,
            "software": f"webstrata {__version__}",
            "created_at": self._created_at.isoformat(),
            "session": dict(session),
            "files": self.files,
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        return self._write(MANIFEST, iter([text.encode("utf-8", "replace")]))[1]

    def _write(self, name: str, pieces: Iterator[bytes]) -> tuple[int, str]:
        entry = zipfile.ZipInfo(name, self._created_at.timetuple()[:6])
        entry.compress_type = zipfile.ZIP_STORED if name.endswith(_PACKED_ALREADY) else zipfile.ZIP_DEFLATED
        size, digest = 0, sha256()
        with self._zip.open(entry, "w", force_zip64=True) as target:
            for piece in pieces:
                target.write(piece)
                digest.update(piece)
                size += len(piece)
        return size, digest.hexdigest()


def is_safe_name(name: str) -> bool:
    """Return whether a path in a pack is relative, plain, and stays in the pack."""
    return len(name) <= 1_000 and _SAFE_NAME.fullmatch(name) is not None


def _check_names(artifacts: Mapping[str, Path]) -> None:
    for name in artifacts:
        if not is_safe_name(name) or name in (MANIFEST, WACZ_NAME):
            raise UsageError(f"{name!r} cannot be the path of a file in an evidence pack")


def _open_file(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    while data := source.read(_COPY_BYTES):
        yield data
