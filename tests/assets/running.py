"""The stage in a process of its own, with whatever plugins are installed there; tells what it found as JSON."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db.engine import Database
from webstrata.logs import configure_logging

if __name__ == "__main__":
    configure_logging(format="json")
    registry = PluginRegistry()
    registry.load_entrypoints()
    summary = run_plugins(
        int(sys.argv[3]), database=Database(sys.argv[1]), archive_root=Path(sys.argv[2]), registry=registry
    )
    sys.stdout.write(json.dumps({"plugins": registry.names, "summary": asdict(summary)}))
