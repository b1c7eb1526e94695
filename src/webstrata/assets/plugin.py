"""The interface of plugins: what a plugin implements, and what it is called with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Protocol, runtime_checkable

from webstrata.content.charset import charset_of, text_of
from webstrata.model.assets import AssetRecord, AssetType, NormalizedAsset

__all__ = ["AssetRecord", "AssetType", "CapturedContent", "NormalizedAsset", "Plugin", "version_of"]


@dataclass(frozen=True)
class CapturedContent:
    """The content of one capture; all plugins get the same value."""

    url: str
    asset_type: AssetType
    body: bytes
    """The bytes as they were sent, without their content and transfer encodings."""
    captured_at: datetime
    status_code: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """The response's headers, names in lower case."""

    @property
    def content_type(self) -> str | None:
        """Return the type as the server declared it, parameters and all."""
        return self.headers.get("content-type")

    @property
    def media_type(self) -> str | None:
        """Return the declared type alone, in lower case."""
        return (self.content_type or "").partition(";")[0].strip().lower() or None

    @cached_property
    def charset(self) -> str:
        """Return the charset of the bytes as text."""
        return charset_of(self.body, self.content_type)

    @cached_property
    def text(self) -> str:
        """Return the bytes as text."""
        return text_of(self.body, self.content_type)


def version_of(plugin: object) -> str | None:
    """Return the version that a plugin declares."""
    version = getattr(plugin, "version", None)
    return None if version is None else str(version)


@runtime_checkable
class Plugin(Protocol):
    """Turns captures into assets; it may have a `version`, which is stored with its results."""

    @property
    def name(self) -> str:
        """Return the plugin's name in configurations and assets."""

    def supports(self, asset_type: str) -> bool:
        """Return whether the plugin processes captures of a type."""

    def normalize(self, content: CapturedContent) -> Iterable[NormalizedAsset]:
        """Return the assets that a capture shows: none, one or many."""
