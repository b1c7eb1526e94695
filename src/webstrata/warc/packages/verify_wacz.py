"""Checks WACZ files: the digests that they declare, and every byte of the WARC files in them."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO

from webstrata.errors import WarcError
from webstrata.warc.packages.record_file import COPY_BYTES
from webstrata.warc.packages.wacz_reader import WaczFile, open_wacz

OnWarc = Callable[[Path, IO[bytes]], None]
"""Called with every WARC file in a WACZ file."""


def check_wacz(path: Path, on_warc: OnWarc) -> Iterator[str]:
    """Yield the problems of a WACZ file, and pass the WARC files in it to `on_warc`."""
    try:
        with open_wacz(path) as wacz:
            yield from _check_digests(wacz)
            for entry in wacz.warcs:
                with wacz.zip.open(entry) as file:
                    on_warc(path / entry.filename, file)
    except WarcError as error:
        yield str(error).removeprefix(f"{path}: ")


def _check_digests(wacz: WaczFile) -> Iterator[str]:
    declared = wacz.digests()
    if not declared:
        yield "datapackage.json is missing, or declares no SHA-256"
    package = wacz.package_digest()
    names = set(wacz.zip.namelist())
    for name, digest in (*declared.items(), *([("datapackage.json", package)] if package else [])):
        if name not in names:
            yield f"{name} is missing"
        elif _digest(wacz, name) != digest:
            yield f"{name} does not match its SHA-256"


def _digest(wacz: WaczFile, name: str) -> str:
    digest = sha256()
    with wacz.zip.open(name) as entry:
        while data := entry.read(COPY_BYTES):
            digest.update(data)
    return digest.hexdigest()
