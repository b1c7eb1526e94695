"""htmx, which the web pages are quicker with: taken from a locked PyPI package, never committed."""

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.console import CACHE, ROOT, SetupError, run, say
from tools.environment import lock, pip

VENDOR = ROOT / "src" / "webstrata" / "web" / "static" / "vendor"
PACKAGED = "django_htmx/static/django_htmx"


@dataclass(frozen=True)
class Asset:
    """A file inside the package, the name it gets here, and what must be in it."""

    member: str
    name: str
    sha256: str


ASSETS = (
    # htmx 2.0.10
    Asset(
        member=f"{PACKAGED}/htmx-2.min.js",
        name="htmx.min.js",
        sha256="71ea67185bfa8c98c39d31717c6fce5d852370fcdfd129db4543774d3145c0de",
    ),
    # the server-sent events extension of htmx 2
    Asset(
        member=f"{PACKAGED}/ext/hx-sse-2.min.js",
        name="htmx-sse.min.js",
        sha256="98a46496de0c3605fbffdce9167ba427bdd9553184f83f149c261891a92c0136",
    ),
)


def ensure() -> None:
    """Put the assets where the web pages serve them from."""
    if all(_is_right(asset) for asset in ASSETS):
        return
    say("Fetching htmx")
    CACHE.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=CACHE) as folder:
        download = pip("download", "--no-deps", "--require-hashes", "--dest", folder, "-r", lock("assets"))
        run(download, "Could not fetch htmx. Is the network there?")
        (wheel,) = Path(folder).glob("*.whl")
        unpack(wheel, VENDOR)


def unpack(wheel: Path, folder: Path) -> None:
    """Copy the assets out of the wheel, each only if it is the file we know."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for asset in ASSETS:
            content = archive.read(asset.member)
            if hashlib.sha256(content).hexdigest() != asset.sha256:
                raise SetupError(f"{asset.member} in {wheel.name} is not the file that tools/assets.py pins.")
            (folder / asset.name).write_bytes(content)


def _is_right(asset: Asset) -> bool:
    file = VENDOR / asset.name
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == asset.sha256
