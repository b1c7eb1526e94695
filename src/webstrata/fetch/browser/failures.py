"""Translates errors of Chromium and Playwright into messages that an administrator can act on."""

import re

from webstrata.errors import FetchError, TransientFetchError

_SANDBOX = re.compile(r"no usable sandbox|sandboxing failed|SUID sandbox", re.IGNORECASE)
_PRINTED = re.compile(r"\[pid=\d+\]\[err\] (.+)")
_FAILURE = re.compile(r"fatal|error|cannot|failed", re.IGNORECASE)
_LOST_CONTEXT = ("execution context was destroyed", "cannot find context", "frame was detached", "is navigating")
_MAX_REASON = 300

NO_SANDBOX = (
    "Chromium cannot start its sandbox here: this system lets no unprivileged user create user namespaces. Allow them "
    "(sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, "
    "user.max_user_namespaces above 0; in a container its seccomp profile), or install Debian's chromium-sandbox"
)


def launch_error(message: str) -> FetchError:
    """Return the error of a failed launch from Playwright's message, which contains the browser's output."""
    if _SANDBOX.search(message):
        return FetchError(NO_SANDBOX, kind="browser")
    printed = _PRINTED.findall(message)
    reason = next((line for line in printed if _FAILURE.search(line)), printed[-1] if printed else "")
    reason = reason or message.partition("\n")[0]
    return TransientFetchError(f"the browser does not start: {reason[:_MAX_REASON]}", kind="browser")


def is_lost_context(message: str) -> bool:
    """Return whether a step on a page failed because the page navigated to another one meanwhile."""
    return any(phrase in message.lower() for phrase in _LOST_CONTEXT)


def page_error(message: str) -> TransientFetchError:
    """Return the error of a failed step on a page from Playwright's message."""
    if is_lost_context(message):
        return TransientFetchError("the page loads itself or others again and again", kind="browser")
    if "target crashed" in message.lower():
        return TransientFetchError("the page crashed, such as one that needs too much memory", kind="browser")
    reason = message.partition("\n")[0][:_MAX_REASON]
    return TransientFetchError(f"the browser reports: {reason}", kind="browser")
