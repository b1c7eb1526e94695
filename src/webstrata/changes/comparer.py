"""Comparing pairs of pages in a process with limits."""

import threading

from webstrata.changes.compare_requests import MAX_CPU_SECONDS, ComparedPages, ComparePages
from webstrata.content.reader.child_process import ChildDiedError, ChildProcess, unpacked
from webstrata.model.changes.values import ChangeType, Comparison

MAX_SECONDS = 30.0
"""How long a pair may take in total; usually the limit of processor time ends the process earlier."""


class _CompareProcess(ChildProcess):
    program = "webstrata.changes.compare_process"


class Comparer:
    """Compares pairs one at a time; its process starts when it is first needed, and again after a pair crashed it."""

    def __init__(self) -> None:
        """Prepare; nothing is started yet."""
        self._process: _CompareProcess | None = None
        self._lock = threading.Lock()

    def compare(self, request: ComparePages) -> ComparedPages:
        """Return the comparison of two pages; if it fails, an error event with the reason."""
        with self._lock:
            reply = self._exchange(request)
        return _failed_comparison(reply) if isinstance(reply, str) else reply

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None

    def _exchange(self, request: ComparePages) -> ComparedPages | str:
        if self._process is None or not self._process.is_alive:
            self._process = _CompareProcess()
        process, self._process = self._process, None
        try:
            process.send(request)
            if not process.has_reply(MAX_SECONDS):
                process.close()
                return f"comparing the two captures took longer than {MAX_SECONDS:g} seconds"
            reply = unpacked(process.receive())
        except ChildDiedError as death:
            return _reason(death)
        self._process = process
        assert isinstance(reply, ComparedPages | str)
        return reply


def _reason(death: ChildDiedError) -> str:
    if death.ran_out_of_time:
        return f"comparing the two captures took more than {MAX_CPU_SECONDS:g} seconds of processor time"
    return f"comparing the two captures crashed the process ({death})"


def _failed_comparison(reason: str) -> ComparedPages:
    return ComparedPages(Comparison(ChangeType.ERROR, summary=reason, limit=reason), "", diff_truncated=False)
