"""`audit`: whether a saved page of a shop is the page of one product."""

from typing import TYPE_CHECKING, Annotated

import typer

from webstrata.cli.help_pages import command
from webstrata.cli.options import AsJson
from webstrata.cli.saved_pages import checked_url, saved_html
from webstrata.cli.start import print_json
from webstrata.errors import UnreadablePageError, UsageError

if TYPE_CHECKING:
    from webstrata.audit.pdp_validation import PdpVerdict

verbs = typer.Typer()

_DEFAULT_POLICY = "v1.2"


@command(verbs, example="webstrata audit --html mug.html --url https://shop.example/mug --json")
def audit(
    html: Annotated[
        str,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Saved HTML page, gzipped or not; - reads standard input.",
            show_default=False,
        ),
    ] = "",
    url: Annotated[str, typer.Option(metavar="URL", help="URL of the saved page.")] = "",
    policy: Annotated[
        str, typer.Option(metavar="VERSION", help="Crawl policy version that pins the rule: v1.2 or v1.1.")
    ] = _DEFAULT_POLICY,
    as_json: AsJson = False,
) -> None:
    """Check whether a saved page of a shop is a product page (PDP), and show the signals and reasons."""
    if not html:
        raise UsageError("give a saved page with --html FILE")
    verdict = judge_saved_page(html, checked_url(url), policy)
    if as_json:
        print_json(verdict.as_payload())
    else:
        print(_for_people(verdict))


def judge_saved_page(file: str, url: str, policy: str) -> "PdpVerdict":
    """Return the verdict on a saved page, which is read within limits of memory and time."""
    from webstrata.audit.pdp_validation import evaluate_pdp_validation_signals
    from webstrata.content.page_reader import PageReader
    from webstrata.content.page_requests import ReadShopSignals
    from webstrata.content.reading import Body
    from webstrata.model.auditing.policy_version import crawl_policy_version

    version = crawl_policy_version(policy)
    content = saved_html(file, url)
    reader = PageReader()
    try:
        signals = reader.shop_signals(ReadShopSignals(Body(url, content, None, None)))
    except UnreadablePageError as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    finally:
        reader.close()
    return evaluate_pdp_validation_signals(signals, version)


def _for_people(verdict: "PdpVerdict") -> str:
    from webstrata.logs import harmless

    outcome = "a valid product page" if verdict.valid else "not a product page"
    lines = [f"{outcome} by policy {verdict.policy.value}, score {verdict.score:g}"]
    lines += [f"  {reason}" for reason in verdict.reasons]
    return "\n".join(harmless(line) for line in lines)
