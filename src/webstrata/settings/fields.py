"""Field types of the settings, and how a setting is declared."""

import ipaddress
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from webstrata.model.crawl.crawl_config import CRAWL_SETTINGS

_PROXY = re.compile(r"http://([^/@\s]*@)?([^/@:\s\[\]]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?/?")

_HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _split(value: object) -> object:
    """Read a comma-separated list as a tuple of its trimmed parts."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _networks(value: object) -> object:
    """Parse a comma-separated list of networks; an error names the part that is invalid."""
    return tuple(ipaddress.ip_network(part) for part in parts) if isinstance(parts := _split(value), tuple) else value


def _one_line(value: str) -> str:
    """Refuse characters that would end the header in which the value is sent."""
    if not value.isprintable() or not value.isascii():
        raise ValueError("only printable ASCII characters can be sent")
    return value


def _http_address(value: SecretStr) -> SecretStr:
    """Refuse proxies of other kinds than supported."""
    if not _PROXY.fullmatch(value.get_secret_value()):
        raise ValueError("a proxy must look like http://user:password@host:port")
    return value


def _web_address(value: str) -> str:
    """Refuse values that are not web addresses."""
    if not value.startswith(("http://", "https://")) or not value.isprintable() or " " in value:
        raise ValueError("it must look like https://replay.example.org")
    return value.rstrip("/")


def _host_name(value: str) -> str:
    """Refuse values that are not a host name, such as those with a scheme, a port or a path."""
    name = value.strip().rstrip(".").lower()
    if not _HOST_NAME.fullmatch(name):
        raise ValueError("a host name must look like replay.example.net, without scheme, port and path")
    return name


def upper(value: object) -> object:
    """Accept a level's name in any case."""
    return value.upper() if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
Networks = Annotated[tuple[Network, ...], BeforeValidator(_networks)]
HttpAddress = Annotated[str, AfterValidator(_web_address)]
HostName = Annotated[str, AfterValidator(_host_name)]
ProxyAddress = Annotated[SecretStr, AfterValidator(_http_address)]
HeaderValue = Annotated[str, AfterValidator(_one_line)]


def setting(default: Any, sentence: str, *older_names: str, **bounds: Any) -> Any:
    """Declare a setting, with its description and older names that are still accepted."""
    return Field(default, description=sentence, json_schema_extra={"older_names": [*older_names]}, **bounds)


def crawl_setting(name: str, **bounds: Any) -> Any:
    """Declare the default of a crawl setting, as `CrawlConfig` declares it."""
    declared = CRAWL_SETTINGS[name]
    sentence = f"{declared.sentence} Default: {declared.unset}." if declared.unset else declared.sentence
    limits = {"ge": declared.lowest, "le": declared.highest}
    return setting(declared.default, sentence, **{n: v for n, v in limits.items() if v is not None}, **bounds)
