"""Statistics of a crawl's run so far: responses, bytes and failures, in all and by host."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

HOSTS_REPORTED = 50
OTHER_HOSTS = "other hosts"
"""The name for the sum of the less busy hosts; host names contain no spaces."""


@dataclass(frozen=True)
class HostReport:
    """Statistics of one host; errors are failed attempts, whether or not a later one succeeded."""

    responses: int = 0
    bytes: int = 0
    errors: int = 0

    def __add__(self, other: "HostReport") -> "HostReport":
        """Return both together."""
        return HostReport(self.responses + other.responses, self.bytes + other.bytes, self.errors + other.errors)

    @property
    def busyness(self) -> tuple[int, int]:
        """Return the sort key of hosts: number of requests, then bytes."""
        return self.responses + self.errors, self.bytes


@dataclass(frozen=True)
class CrawlReport:
    """Statistics of a run so far, of one process or of all."""

    responses: int = 0
    bytes: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    """How often a try failed, by kind."""
    hosts: Mapping[str, HostReport] = field(default_factory=dict)
    """The busiest hosts, the busiest first."""
    rate: float = 0.0
    """Responses a second."""
    idle: float = 0.0
    """Seconds since a URL was last settled, well or not."""
    requisites: int = 0
    """How many of the responses are requisites of pages."""

    def to_json(self) -> dict[str, object]:
        """Return the form that the database and the run's file keep."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> "CrawlReport":
        """Return a stored report; missing or invalid values become 0."""
        errors, hosts = stored.get("errors"), stored.get("hosts")
        return cls(
            responses=_number(stored.get("responses")),
            bytes=_number(stored.get("bytes")),
            errors={str(kind): _number(count) for kind, count in _items(errors)},
            hosts={str(host): _host(report) for host, report in _items(hosts)},
            rate=_real(stored.get("rate")),
            idle=_real(stored.get("idle")),
            requisites=_number(stored.get("requisites")),
        )


def merged(reports: Iterable[CrawlReport]) -> CrawlReport:
    """Return the sum of the reports of several processes."""
    every = list(reports)
    errors: Counter[str] = Counter()
    hosts: dict[str, HostReport] = {}
    for report in every:
        errors.update(report.errors)
        for host, seen in report.hosts.items():
            hosts[host] = hosts.get(host, HostReport()) + seen
    return CrawlReport(
        responses=sum(report.responses for report in every),
        bytes=sum(report.bytes for report in every),
        errors=dict(errors.most_common()),
        hosts=busiest(hosts),
        rate=sum(report.rate for report in every),
        idle=min((report.idle for report in every), default=0.0),
        requisites=sum(report.requisites for report in every),
    )


def busiest(hosts: Mapping[str, HostReport], most: int = HOSTS_REPORTED) -> dict[str, HostReport]:
    """Return the busiest hosts, the busiest first; all others are summed under one name at the end."""
    others = hosts.get(OTHER_HOSTS, HostReport())
    named = [item for item in hosts.items() if item[0] != OTHER_HOSTS]
    # The host's name breaks ties, so that the order of a table is stable.
    named.sort(key=lambda item: (*(-part for part in item[1].busyness), item[0]))
    others = sum((seen for _, seen in named[most:]), others)
    return dict(named[:most]) | ({OTHER_HOSTS: others} if others != HostReport() else {})


def _items(stored: object) -> Iterable[tuple[object, object]]:
    return stored.items() if isinstance(stored, Mapping) else ()


def _host(stored: object) -> HostReport:
    values = dict(_items(stored))
    return HostReport(*(_number(values.get(name)) for name in ("responses", "bytes", "errors")))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _real(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
