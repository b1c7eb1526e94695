"""`serve` and `worker`: the web server, and the process that runs queued jobs."""

import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.start import start_logging, started
from webstrata.errors import PortInUseError, WebstrataError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

verbs = typer.Typer()

_STOP_SECONDS = 10
_RESTART_SECONDS = 1.0
_LOOK_SECONDS = 0.5
_LAST_RESPONSES_SECONDS = 2
"""How long a stop waits for responses in progress, as a live view would never end by itself."""

_HEADERS_SECONDS = 10
"""How long a client may take to send a request's headers, so that idle clients do not block connections."""

_RATE_LIMITS = "rate-limits"
"""The file for rate limits in the shared folder, which also contains the files of metrics."""

Host = Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help="Port to listen on.", show_default="8080")]
Processes = Annotated[
    int | None, typer.Option(min=1, max=64, help="Number of processes that handle requests.", show_default="1")
]


@command(verbs, example="webstrata serve --port 8081")
def serve(
    host: Host = None,
    port: Port = None,
    worker: Annotated[bool, typer.Option(help="Also run queued jobs, in a separate process.")] = True,
    processes: Processes = None,
) -> None:
    """Serve the web pages and the API until Ctrl-C."""
    with started(quiet=sys.stderr.isatty()) as app:
        address = (host or app.settings.host, port or app.settings.port)
        processes = processes or app.settings.serve_processes
        is_read_only = app.database.is_read_only
        refuse_busy_port(*address)
        if is_read_only:
            _warn_read_only(app.database.file.parent.absolute())
    serve_until_stopped(*address, worker=worker and not is_read_only, processes=processes)


def _warn_read_only(folder: Path) -> None:
    import structlog

    unwritten = "no worker runs; usage and sign-ins are not recorded"
    structlog.get_logger().warning("archive.read_only", folder=str(folder), effect=unwritten)


@command(verbs, "worker", example="webstrata worker --once")
@command(verbs, "start-worker", example="webstrata start-worker --once", hidden=True)
def worker(
    poll_interval: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Seconds between two checks of an empty queue.")
    ] = 30,
    once: Annotated[bool, typer.Option("--once", help="Run at most one job, then exit.")] = False,
    parent: Annotated[int | None, typer.Option("--parent", hidden=True)] = None,
    site: Annotated[str, typer.Option("--site", hidden=True)] = "",
) -> None:
    """Run queued jobs until Ctrl-C; one job can be crawled while another is indexed."""
    if parent is not None:
        _end_with(parent)
    from webstrata.jobs.running.worker import run_worker_loop
    from webstrata.settings import LOG_LEVEL, in_environment

    # Child processes of a worker, which are commands of their own, must log in the same way.
    with started() as app, in_environment(LOG_LEVEL, app.settings.log_level):
        app.database.check_writable()
        run_worker_loop(poll_interval, once, context=app.context(site), site=site)


def refuse_busy_port(host: str, port: int) -> None:
    """Raise PortInUseError when another program listens there, before any work is done."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUseError(
                    f"port {port} on {host} is in use; choose another with --port (make run PORT=…)"
                ) from None
            raise WebstrataError(f"cannot listen on {host}, port {port}: {error.strerror}") from None


def serve_until_stopped(host: str, port: int, *, worker: bool = True, processes: int = 1) -> None:
    """Serve until Ctrl-C or SIGTERM, with a worker process unless `worker` is false."""
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    from webstrata.logs import SERVER_LOGGING

    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"Serving on {address} (Ctrl-C to stop)", flush=True)
    server = Granian(
        "webstrata.cli.serving:site",
        factory=True,
        interface=Interfaces.ASGI,
        address=host,
        port=port,
        workers=processes,
        # A process that dies is restarted; when it dies again at once, the server gives up.
        respawn_failed_workers=True,
        log_dictconfig=SERVER_LOGGING,
        log_level=LogLevels.warning,
        workers_kill_timeout=_LAST_RESPONSES_SECONDS,
        # Proxies use HTTP/1 here; HTTP/2 without TLS would only add a way to overload the server.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADERS_SECONDS * 1000),
    )
    server.on_startup(partial(_end_with_terminal, signal.getsignal(signal.SIGHUP), server.signal_handler_interrupt))
    with (
        _worker_process(address) if worker else nullcontext(),
        _shared_folder() if processes > 1 else nullcontext() as shared,
    ):
        try:
            server.serve(target_loader=partial(site, shared=shared), wrap_loader=False)
        except SystemExit:
            # The processes are not stopped together: the server would count the first one to end as crashed.
            if not server.interrupt_signal:
                raise WebstrataError(
                    "the server stopped: its processes end as soon as they start (see the log)"
                ) from None
    print("Stopped.", flush=True)


def _end_with_terminal(before: object, stop: Callable[..., None]) -> None:
    """End the server when its terminal is closed, unless it runs under nohup; granian would reload instead."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN if before is signal.SIG_IGN else stop)


def site(*, shared: Path | None = None) -> "ASGIApp":
    """Return the ASGI application; each serving process calls this once, with the folder that several share."""
    from webstrata.app import build_app
    from webstrata.http.limits.shared_rate_limits import SharedBuckets
    from webstrata.http.metrics.request_metrics import share_numbers
    from webstrata.settings import load_settings
    from webstrata.site import create_site

    _end_with(os.getppid())
    # Ctrl-C must reach this process only through the server, which would otherwise count it as crashed.
    os.setsid()
    settings = load_settings()
    start_logging(settings, quiet=sys.stderr.isatty())
    if shared is None:
        return create_site(build_app(settings))
    share_numbers()
    return create_site(build_app(settings), SharedBuckets(shared / _RATE_LIMITS))


@contextmanager
def _shared_folder() -> Iterator[Path]:
    """Share one folder between all serving processes, so that metrics and rate limits cover all of them."""
    from webstrata.http.limits.shared_rate_limits import make_table
    from webstrata.settings import in_environment

    with (
        tempfile.TemporaryDirectory(prefix="webstrata-serving-") as folder,
        in_environment("PROMETHEUS_MULTIPROC_DIR", folder),
    ):
        # On a full disk the table is incomplete; each process then logs that and uses its own limits.
        with suppress(OSError):
            make_table(Path(folder) / _RATE_LIMITS)
        yield Path(folder)


@contextmanager
def _worker_process(site: str) -> Iterator[None]:
    """Run a worker as long as the server of a site runs."""
    keeper = _WorkerKeeper(site)
    try:
        yield
    finally:
        keeper.stop()


class _WorkerKeeper:
    """Starts a worker, and restarts it when it dies."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._changing = threading.Lock()
        self._over = threading.Event()
        self._process = _new_worker(site)
        threading.Thread(target=self._keep, name="worker", daemon=True).start()

    def stop(self) -> None:
        """End the worker: send SIGTERM, and kill it if it does not end."""
        with self._changing:
            self._over.set()
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _keep(self) -> None:
        while True:
            code = self._process.wait()
            if self._over.wait(_RESTART_SECONDS):
                return
            with self._changing:
                if self._over.is_set():
                    return
                print(f"webstrata: the worker ended with exit code {code}; starting another one", file=sys.stderr)
                self._process = _new_worker(self._site)


def _new_worker(site: str) -> subprocess.Popen[bytes]:
    """Start a worker in its own session, so that Ctrl-C does not reach it directly and we can shut it down properly."""
    command = [sys.executable, "-m", "webstrata", "worker", "--parent", str(os.getpid()), "--poll-interval", "1"]
    command += ["--site", site]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - our own program


def _end_with(parent: int) -> None:
    """End this process soon after its parent has ended for any reason, so that the port is free again."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        # Without cleaning up, as after a kill: a job remains `running`, and the next worker takes it over.
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()
