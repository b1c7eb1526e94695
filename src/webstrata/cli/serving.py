"""`serve` and `worker`: the archive's pages and API, and who does the queued work."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from granian import Granian
from granian.constants import Interfaces

from webstrata.app import build_app
from webstrata.cli.start import start_logging, started
from webstrata.errors import PortInUseError, WebstrataError
from webstrata.jobs.worker import run_worker_loop
from webstrata.logs import SERVER_LOGGING
from webstrata.settings import load_settings

verbs = typer.Typer()

_STOP_SECONDS = 10

Host = Annotated[str | None, typer.Option(help="Address to listen on.")]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help="Port to listen on.")]


@verbs.command()
def serve(
    host: Host = None,
    port: Port = None,
    worker: Annotated[bool, typer.Option(help="Also run queued jobs, in a process of their own.")] = True,
) -> None:
    """Serve the archive's pages and API until Ctrl-C."""
    with started(quiet=True) as app:
        address = (host or app.settings.host, port or app.settings.port)
    refuse_busy_port(*address)
    serve_until_stopped(*address, worker=worker)


@verbs.command("worker")
@verbs.command("start-worker", hidden=True)
def worker(
    poll_interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks at an empty queue.")] = 30,
    once: Annotated[bool, typer.Option("--once", help="Run at most one job and leave.")] = False,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Run queued jobs, one after the other, until Ctrl-C."""
    if with_parent:
        threading.Thread(target=_stop_when_input_ends, daemon=True).start()
    with started() as app:
        run_worker_loop(poll_interval, once, runner=app.runner())


def refuse_busy_port(host: str, port: int) -> None:
    """Raise PortInUseError when another program listens there: better now than after the work."""
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


def serve_until_stopped(host: str, port: int, *, worker: bool = True) -> None:
    """Serve until Ctrl-C or SIGTERM, with a worker beside unless told otherwise."""
    print(f"Serving on http://{host}:{port}/ (Ctrl-C to stop)", flush=True)
    server = Granian(
        "webstrata.cli.serving:site",
        factory=True,
        interface=Interfaces.ASGI,
        address=host,
        port=port,
        log_dictconfig=SERVER_LOGGING,
    )
    with _worker_process() if worker else _nothing():
        server.serve()
    print("Stopped.", flush=True)


def site() -> object:
    """Return the ASGI application; each serving process calls this once."""
    from webstrata.web.site import create_site

    settings = load_settings()
    start_logging(settings, quiet=True)
    return create_site(build_app(settings))


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _worker_process() -> Iterator[None]:
    """Keep a worker running; it ends with us, even when we are killed, because its input does."""
    command = [sys.executable, "-m", "webstrata", "worker", "--with-parent", "--poll-interval", "1"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)  # noqa: S603 - our own program
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _stop_when_input_ends() -> None:
    # Not sys.stdin: a thread that waits inside its buffer aborts the interpreter's shutdown.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
