"""`audit`: audit a shop, many shops, or a saved product page."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.audits.saved_verdicts import DEFAULT_POLICY, print_saved_verdict
from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.start import DONE, FAILED, INTERRUPTED, interruptible, print_json, started
from webstrata.errors import UsageError
from webstrata.model.auditing.sessions import AuditMode

if TYPE_CHECKING:
    from webstrata.app import App
    from webstrata.model.auditing.sessions import Audit

verbs = typer.Typer()

MAX_SHOPS = 10_000


@dataclass(frozen=True)
class _Job:
    """Options of an audit: its purpose, and the form of the output."""

    mode: AuditMode
    as_json: bool


@command(verbs, example="webstrata audit https://shop.example/")
def audit(
    shop: Annotated[
        str | None, typer.Argument(metavar="URL", help="URL of the shop's home page.", show_default=False)
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", metavar="FILE", help="Audit many shops: a file with one URL per line.", show_default=False
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Only check whether a saved page is a product page. The file may be gzipped; - means standard input.",
            show_default=False,
        ),
    ] = None,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="With --html: the URL of the saved page.")] = "",
    mode: Annotated[
        AuditMode,
        typer.Option(
            help="debug skips the wait between audits of a domain; evidence_pack also stores all responses in a ZIP."
        ),
    ] = AuditMode.STANDARD,
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            metavar="SCHEDULE",
            help="Audit the shop on a schedule: 12h, 7d, or a cron line; workers do it.",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        str, typer.Option(metavar="VERSION", help="With --html: version of the rule for product pages, v1.2 or v1.1.")
    ] = DEFAULT_POLICY,
    as_json: AsJson = False,
) -> None:
    """Audit a shop: store screenshots and HTML of its home page and a product page, for desktop and mobile.

    If interrupted, the same command continues the audit.
    """
    if sum(given is not None for given in (shop, file, html)) != 1:
        raise UsageError("give either a URL, --file FILE or --html FILE")
    if html is not None and every is not None:
        raise UsageError("--every schedules audits of shops: give a URL or --file FILE with it")
    if html is not None:
        print_saved_verdict(html, url, policy, as_json=as_json)
        return
    if every is not None:
        _schedule([shop] if shop is not None else read_shops(file or Path()), every, mode, as_json=as_json)
        return
    job = _Job(mode, as_json)
    code = _audit_one(shop, job) if shop is not None else _audit_file(file or Path(), job)
    raise typer.Exit(code)


def _schedule(shops: list[str], every: str, mode: AuditMode, *, as_json: bool) -> None:
    from webstrata.cli.audits.schedules import add_schedules
    from webstrata.model.urls import with_scheme

    add_schedules([with_scheme(shop) for shop in shops], every, mode, as_json=as_json)


def _audit_one(url: str, job: _Job) -> int:
    """Audit one shop in this process, and print the verdict."""
    from webstrata.cli.audits.verdicts import print_verdict, watching
    from webstrata.jobs.auditing.run_here import audit_here, resume_or_queue
    from webstrata.model.urls import with_scheme

    with interruptible() as interrupted, started(quiet=True) as app:
        found = resume_or_queue(app.database, with_scheme(url), job.mode, app.audit_policy())
        with watching(found.url, is_quiet=job.as_json) as watch:
            audit_here(app.audit_parts(), app.audit_browser(), found, watch, interrupted)
        if interrupted.is_set():
            return _interrupted("the audit is back in the queue: run the same command again to continue it")
        return print_verdict(app, found.id, as_json=job.as_json)


def _audit_file(file: Path, job: _Job) -> int:
    """Audit the shops of a file, several at a time, and print a line for each."""
    from webstrata.cli.audits.verdicts import print_line
    from webstrata.jobs.auditing.run_here import audit_many, resume_or_queue_all

    urls = read_shops(file)
    with interruptible() as interrupted, started(quiet=True) as app:
        found = resume_or_queue_all(app.database, urls, job.mode, app.audit_policy())
        if len(found) < len(urls):
            print(f"continuing with {len(found)} of {len(urls)} shops")
        ended: list[Audit] = []

        def show(one: "Audit") -> None:
            ended.append(one)
            if not job.as_json:
                print_line(one, len(ended), len(found))

        audit_many(app.audit_parts(), app.audit_browser(), found, show, interrupted)
        if interrupted.is_set():
            return _interrupted(f"{len(found) - len(ended)} shops are left: run the same command again to continue")
        return _summary(app, ended, job)


def _summary(app: "App", ended: "list[Audit]", job: _Job) -> int:
    from webstrata.api.auditing.audits import audit_json

    if job.as_json:
        print_json([audit_json(app, one.id) for one in ended])
    failed = sum(one.status == "failed" for one in ended)
    if not job.as_json:
        print(f"{len(ended)} audits: {len(ended) - failed} with evidence, {failed} failed")
    return FAILED if failed else DONE


def read_shops(file: Path) -> list[str]:
    """Return the URLs of a file, one per line, without empty lines and comments; UsageError names a bad line."""
    from webstrata.jobs.auditing.queueing import check_audit_url
    from webstrata.model.urls import with_scheme

    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not a text file in UTF-8") from error
    urls: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        if not (text := line.partition(" #")[0].strip()) or text.startswith("#"):
            continue
        try:
            urls[check_audit_url(with_scheme(text))] = None
        except UsageError as error:
            raise UsageError(f"{file}, line {number}: {error}") from None
    if not 0 < len(urls) <= MAX_SHOPS:
        raise UsageError(f"{file} must name between 1 and {MAX_SHOPS} shops; it names {len(urls)}")
    return list(urls)


def _interrupted(message: str) -> int:
    print(f"interrupted: {message}")
    return INTERRUPTED
