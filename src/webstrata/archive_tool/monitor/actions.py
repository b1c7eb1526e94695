"""Recovery actions of the monitor: fewer workers, VPN rotation, a pause."""

import threading

import structlog

from webstrata.archive_tool.monitor.vpn import rotate
from webstrata.model.crawl.monitoring import Decision, MonitorLimits, RecoveryAction
from webstrata.storage.crawl_state import CrawlState

log = structlog.get_logger()


def carry_out(decision: Decision, limits: MonitorLimits, state: CrawlState, ended: threading.Event) -> str:
    """Carry out a decision before the next attempt begins, and return its result in a sentence."""
    if decision.action is RecoveryAction.FEWER_WORKERS:
        state.note_workers(decision.workers)
        return f"the next attempt has {decision.workers} workers"
    if decision.action is RecoveryAction.ROTATE_VPN and limits.vpn is not None:
        rotation = rotate(limits.vpn, ended)
        tell = log.info if rotation.went_well else log.warning
        tell("monitor.vpn", reason=rotation.summary, exit_code=rotation.exit_code, seconds=rotation.seconds)
        return rotation.summary
    if decision.action is RecoveryAction.BACK_OFF:
        ended.wait(decision.wait.total_seconds())
        return f"the crawl rested for {decision.wait.total_seconds():g} seconds"
    return (
        "the crawl is given up"
        if decision.action is RecoveryAction.GIVE_UP
        else "the crawl is begun again where it was"
    )
