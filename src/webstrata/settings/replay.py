"""Settings of replay: in the browser, and by other programs."""

from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import model_validator

from webstrata.settings.fields import HostName, setting
from webstrata.settings.serving import ServingSettings

_REGISTRIES = frozenset(
    {"ac", "co", "com", "edu", "gob", "gouv", "gov", "govt", "gv", "id", "ltd", "me", "mil", "ne", "net", "nhs", "nom"}
    | {"or", "org", "plc", "sch"}
)
"""Second-level names under which countries register domains."""


class ReplaySettings(ServingSettings):
    """Where archived pages run, and where previews and the collections for a replay server are."""

    replay_host: HostName | None = setting(
        None,
        "Second host name of this server, on which archived pages run. It must be in another domain than the site, as "
        "the host names of a domain share cookies, and have the same scheme and port. Needs public_site_url. Default: "
        "`localhost` in development, for readers on the same machine who open the site at 127.0.0.1; otherwise none, "
        "and pages are shown as plain HTML.",
    )

    replay_collections_dir: Path = setting(
        Path(),
        "Folder of the collections that `replay-index-job` builds for a replay server such as pywb. "
        "Default: collections/ in the data folder.",
        "HEALTHARCHIVE_REPLAY_COLLECTIONS_DIR",
    )

    replay_preview_dir: Path | None = setting(
        None,
        "Folder of the pictures of sources' front pages. Default: .previews/ in the archive folder.",
        "HEALTHARCHIVE_REPLAY_PREVIEW_DIR",
    )

    @model_validator(mode="after")
    def _place_the_collections(self) -> Self:
        if "replay_collections_dir" not in self.model_fields_set:
            data_dir: Path = getattr(self, "data_dir", Path())
            object.__setattr__(self, "replay_collections_dir", data_dir / "collections")
        return self

    @model_validator(mode="after")
    def _has_two_hosts(self) -> Self:
        """Refuse a replay host whose pages could set cookies for the site."""
        if self.replay_host is None:
            return self
        if self.public_site_url is None:
            raise ValueError("replay_host needs public_site_url, the address of the pages that frame it")
        site = (urlsplit(self.public_site_url).hostname or "").lower()
        if f".{site}".endswith(f".{self.replay_host}") or f".{self.replay_host}".endswith(f".{site}"):
            raise ValueError(
                f"replay_host must not be {site}, a subdomain of it, or a domain above it: they share cookies"
            )
        shared = _shared_domain(site, self.replay_host)
        if shared is not None:
            raise ValueError(
                f"replay_host must be in another domain than {site}: archived scripts could set cookies for all of "
                f"{shared}, and browsers would send them to the site"
            )
        return self


def _shared_domain(one: str, other: str) -> str | None:
    """Return the domain that both host names are in, if pages of one can set cookies for it.

    Browsers refuse cookies for public suffixes, such as `co.uk`, under which anyone may register a domain.
    """
    labels: list[str] = []
    for left, right in zip(reversed(one.split(".")), reversed(other.split(".")), strict=False):
        if left != right:
            break
        labels.insert(0, left)
    is_public = len(labels) == 2 and len(labels[1]) == 2 and labels[0] in _REGISTRIES
    return ".".join(labels) if len(labels) >= 2 and not is_public else None
