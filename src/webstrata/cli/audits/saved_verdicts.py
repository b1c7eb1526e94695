"""Verdicts on saved pages: whether a page of a shop is the page of one product."""

from typing import TYPE_CHECKING

from webstrata.cli.pages.saved_pages import checked_url, saved_html
from webstrata.cli.start import print_json
from webstrata.errors import UnreadablePageError, UsageError

if TYPE_CHECKING:
    from webstrata.audit.pdp_validation import PdpVerdict

DEFAULT_POLICY = "v1.2"


def print_saved_verdict(file: str, url: str, policy: str, *, as_json: bool) -> None:
    """Print whether a saved page is a product page, with the signals and reasons."""
    verdict = judge_saved_page(file, checked_url(url), policy)
    if as_json:
        print_json(verdict.as_payload())
    else:
        print(_for_people(verdict))


def judge_saved_page(file: str, url: str, policy: str) -> "PdpVerdict":
    """Return the verdict on a saved page, read in a process with limits of memory and time."""
    from webstrata.audit.pdp_validation import evaluate_pdp_validation_signals
    from webstrata.content.reader.page_reader import PageReader
    from webstrata.content.reader.page_requests import ReadShopSignals
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
