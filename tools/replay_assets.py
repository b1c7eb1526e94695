"""wabac.js, which replays archived pages in the browser: taken from the npm registry at set-up, never committed."""

import base64
import hashlib
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.console import CACHE, ROOT, SetupError, run, say
from tools.environment import create, digest, lock

VENDOR = ROOT / "src" / "webstrata" / "web" / "replay_static" / "vendor"
NPM_ENVIRONMENT = CACHE / "npm"
OFFLINE = "Could not fetch wabac.js from the npm registry. Is the network there?"


@dataclass(frozen=True)
class ReplayAsset:
    """A file inside the npm package, the name it gets here, and its hash."""

    member: str
    name: str
    sha256: str


PACKAGE = "@webrecorder/wabac@2.27.3"
INTEGRITY = "i00+HSdwOdHRPeJU8g3LMOAHT4J+yX+dJdTEboTiI9YjWY5jYxUGqOgDuZ3xmPBzGAfYjfwoFTIaCB9lUBuNhA=="
"""SHA-512 of the package's archive, as the registry publishes it."""

ASSETS = (
    ReplayAsset(
        member="package/dist/sw.js",
        name="wabac.js",
        sha256="c665c6d9e34ea1a5c52853f5541e1aa6b203525b56222201c2efe33e28a80fba",
    ),
    ReplayAsset(
        member="package/LICENSE.md",
        name="wabac-LICENSE.md",
        sha256="db52e3daad9260a1cc638efaf3f6b7a6bdead236365586a60078a9a287613037",
    ),
)


def ensure() -> None:
    """Put wabac.js where the replay host serves it from."""
    if all(_is_right(asset) for asset in ASSETS):
        return
    say("Fetching wabac.js")
    CACHE.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=CACHE) as folder:
        run([npm(), "pack", "--ignore-scripts", "--pack-destination", folder, PACKAGE], OFFLINE)
        (package,) = Path(folder).glob("*.tgz")
        unpack(package, VENDOR)


def unpack(package: Path, folder: Path) -> None:
    """Copy the assets out of the package, if it is the one we know."""
    folder.mkdir(parents=True, exist_ok=True)
    if base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode() != INTEGRITY:
        raise SetupError(f"{package.name} is not the package that tools/replay_assets.py pins.")
    with tarfile.open(package) as archive:
        for asset in ASSETS:
            content = archive.extractfile(asset.member)
            assert content is not None, f"{asset.member} is no file"
            (folder / asset.name).write_bytes(content.read())


def npm() -> str | Path:
    """Return npm: the system's, or the one of a locked PyPI package in an environment of its own."""
    installed = shutil.which("npm")
    if installed is not None:
        return installed
    programs, stamp = NPM_ENVIRONMENT / "bin", NPM_ENVIRONMENT / "stamp"
    if not stamp.is_file() or stamp.read_text(encoding="ascii") != digest(lock("npm")):
        create(NPM_ENVIRONMENT)
        pip: list[str | Path] = [programs / "python", "-m", "pip", "--disable-pip-version-check", "install"]
        install = [*pip, "--require-hashes", "--only-binary=:all:", "-r", lock("npm")]
        run(install, "Could not install npm. Is the network there?")
        stamp.write_text(digest(lock("npm")), encoding="ascii")
    return programs / "npm"


def _is_right(asset: ReplayAsset) -> bool:
    file = VENDOR / asset.name
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == asset.sha256
