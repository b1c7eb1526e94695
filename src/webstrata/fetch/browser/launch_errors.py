"""Why Chromium does not start, in a sentence that an administrator can act on."""

import re

from webstrata.errors import FetchError, TransientFetchError

_SANDBOX = re.compile(r"no usable sandbox|sandboxing failed|SUID sandbox", re.IGNORECASE)
_PRINTED = re.compile(r"\[pid=\d+\]\[err\] (.+)")
_FAILURE = re.compile(r"fatal|error|cannot|failed", re.IGNORECASE)
_MAX_REASON = 300

NO_SANDBOX = (
    "Chromium cannot start its sandbox here: this system lets no unprivileged user create user namespaces. Allow them "
    "(sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, "
    "user.max_user_namespaces above 0; in a container its seccomp profile), or install Debian's chromium-sandbox"
)


def launch_error(message: str) -> FetchError:
    """Return the failure of a launch from Playwright's report, which holds what the browser printed."""
    if _SANDBOX.search(message):
        return FetchError(NO_SANDBOX, kind="browser")
    printed = _PRINTED.findall(message)
    reason = next((line for line in printed if _FAILURE.search(line)), printed[-1] if printed else "")
    reason = reason or message.partition("\n")[0]
    return TransientFetchError(f"the browser does not start: {reason[:_MAX_REASON]}", kind="browser")
