"""What hatchling runs before it builds a wheel: where a compiler is, the native library goes into it."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

# hatchling reads this file by its path, and knows no package of ours.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import native
from tools.console import ROOT, SetupError


class NativeBuildHook(BuildHookInterface[BuilderConfig]):
    """The step that makes a wheel one of this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the library for a wheel; what is installed in place gets it from `make install`."""
        if version == "editable" or not self._has_library():
            return
        build_data["artifacts"].append(f"/{native.LIBRARY.relative_to(ROOT).as_posix()}")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"

    def _has_library(self) -> bool:
        try:
            native.ensure(install=False)
        except native.CompilerMissingError as error:
            self.app.display_warning(f"The wheel will be without the native library. {error}")
            return False
        except SetupError as error:
            self.app.abort(error.full)
        return True


def _platform() -> str:
    """Return this platform's own tag: only an auditor of wheels can promise that one runs on many Linuxes."""
    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
