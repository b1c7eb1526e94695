"""Which plugins there are, and how others' are found."""

import importlib.metadata
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest
from structlog.testing import capture_logs

from tests.assets.plugins import Counting, Products
from webstrata.assets.registry import PluginRegistry
from webstrata.errors import UsageError

OURS, OLDER = "webstrata.plugins", "sitesync.plugins"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that offers plugins."""
    made = ModuleType("offered")
    made.Products = Products  # type: ignore[attr-defined]
    made.counting = Counting()  # type: ignore[attr-defined]
    made.number = 7  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "offered", made)
    return made


def offer(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda: EntryPoints(entries))


def loaded() -> PluginRegistry:
    registry = PluginRegistry()
    registry.load_entrypoints()
    return registry


def test_page_and_media_are_built_in() -> None:
    assert PluginRegistry().names == ("page", "media", "listing")


def test_a_class_or_an_instance_may_be_registered() -> None:
    registry, instance = PluginRegistry(), Counting()
    registry.register(Products)
    registry.register(instance)
    assert registry.names == ("page", "media", "listing", "products", "counting")
    products, counting = registry.selected(["products", "counting"])
    assert isinstance(products, Products)
    assert counting is instance


@pytest.mark.usefixtures("module")
def test_classes_and_instances_are_found_through_both_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(
        monkeypatch,
        EntryPoint("anything", "offered:counting", OLDER),
        EntryPoint("shop", "offered:Products", OURS),
        EntryPoint("other", "offered:number", "somebody.else"),
    )
    assert loaded().names == ("page", "media", "listing", "products", "counting")


@pytest.mark.usefixtures("module")
def test_entry_points_may_come_as_a_dict(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {
        OURS: (EntryPoint("shop", "offered:Products", OURS),),
        OLDER: [EntryPoint("anything", "offered:counting", OLDER)],
    }
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda: groups)
    assert loaded().names == ("page", "media", "listing", "products", "counting")
    monkeypatch.setattr(importlib.metadata, "entry_points", dict)
    assert loaded().names == ("page", "media", "listing")


@pytest.mark.usefixtures("module")
def test_a_plugin_in_both_groups_is_taken_once_and_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, EntryPoint("shop", "offered:Products", OURS), EntryPoint("shop", "offered:Products", OLDER))
    with capture_logs() as events:
        assert loaded().names == ("page", "media", "listing", "products")
    assert [event for event in events if event["log_level"] == "warning"] == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("not_there:Plugin", "ModuleNotFoundError: No module named 'not_there'"),
        ("offered:not_there", "AttributeError"),
        ("offered:number", "is not a plugin"),
        ("leaving:Plugin", "SystemExit: enough"),
        ("webstrata.assets.page:PagePlugin", "there is a plugin 'page' already"),
    ],
)
@pytest.mark.usefixtures("module")
def test_a_plugin_that_cannot_be_loaded_is_passed_over_and_logged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str, reason: str
) -> None:
    (tmp_path / "leaving.py").write_text("raise SystemExit('enough')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    offer(monkeypatch, EntryPoint("bad", value, OURS), EntryPoint("shop", "offered:Products", OURS))
    with capture_logs() as events:
        assert loaded().names == ("page", "media", "listing", "products")
    (said,) = (event for event in events if event["event"] == "plugin.load.failed")
    assert (said["plugin"], said["value"], said["group"]) == ("bad", value, OURS)
    assert reason in said["reason"]


class Nameless:
    def supports(self, asset_type: str) -> bool:
        return True

    def normalize(self, content: object) -> list[object]:
        return []


class Loud(Nameless):
    name = "LOUD"


class Deaf:
    name = "deaf"

    def supports(self, asset_type: str) -> bool:
        return True


class Endless(Nameless):
    name = "endless"
    version = "1." * 100


class Choosy(Nameless):
    name = "choosy"

    def __init__(self, wish: str) -> None:
        self.wish = wish


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [(Nameless, "name is None"), (Loud(), "'LOUD'"), (Deaf, "no normalize"), (Endless, "version"), (object(), "name")],
)
def test_what_is_no_plugin_is_refused_with_the_reason(candidate: object, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        PluginRegistry().register(candidate)


def test_a_class_that_needs_arguments_is_refused() -> None:
    with pytest.raises(TypeError, match="wish"):
        PluginRegistry().register(Choosy)
    registry = PluginRegistry()
    registry.register(Choosy("tea"))
    assert "choosy" in registry.names


def test_two_plugins_cannot_have_the_same_name() -> None:
    registry = PluginRegistry()
    registry.register(Counting())
    with pytest.raises(UsageError, match="'counting' already"):
        registry.register(Counting())
