"""`archive-tool`: its entry point, exit codes and one-line errors."""

import sys

from webstrata.archive_tool.arguments import Arguments, parsed
from webstrata.errors import UsageError, WebstrataError
from webstrata.model.jobs.tool_options import ZIMIT

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def main() -> None:
    """Run the program and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(words: list[str]) -> int:
    """Run one command line and return its exit code; an error is printed in one line on standard error."""
    try:
        arguments = parsed(words)
    except UsageError as error:
        _report_to_worker(words, error)
        return _print_error(error, WRONG_USAGE)
    except SystemExit as leaving:  # --help and --version
        return int(leaving.code or 0)
    try:
        return _run(arguments)
    except WebstrataError as error:
        return _print_error(error, WRONG_USAGE if isinstance(error, UsageError) else FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: Arguments) -> int:
    if arguments.dry_run:
        from webstrata.archive_tool.planning import describe_plan

        return describe_plan(arguments)
    if arguments.engine == ZIMIT:
        return _run_zimit(arguments)
    from webstrata.archive_tool import native

    if arguments.tied:
        from webstrata.jobs.running.children import Lifeline

        return native.crawl_for_worker(arguments, Lifeline.from_parent())
    return native.crawl_job(arguments)


def _run_zimit(arguments: Arguments) -> int:
    from webstrata.archive_tool.supervising import exit_code_of
    from webstrata.archive_tool.zimit_run import crawl_into
    from webstrata.jobs.running.children import Lifeline

    if arguments.tied:
        Lifeline.from_parent()
    try:
        return crawl_into(arguments)
    except UsageError:
        raise
    except WebstrataError as error:
        return _print_error(error, exit_code_of(error, is_child=arguments.tied))
    except Exception as error:
        if not arguments.tied:
            raise
        return _broken(error)


def _broken(error: Exception) -> int:
    """Log an unexpected error and return the exit code by which the worker recognises it."""
    import structlog

    from webstrata.jobs.running.stages import BROKEN

    structlog.get_logger().exception("run.broken", reason=f"{type(error).__name__}: {error}")
    return BROKEN


def _report_to_worker(arguments: list[str], error: UsageError) -> None:
    """Report invalid options of a job to the worker that started this process."""
    job_id = _value_of("--job-id", arguments)
    if "--tied" in arguments and job_id.isdecimal():
        from webstrata.archive_tool import native
        from webstrata.jobs.running.children import Lifeline

        native.report_refusal(int(job_id), Lifeline.from_parent(), error)


def _value_of(flag: str, arguments: list[str]) -> str:
    place = arguments.index(flag) + 1 if flag in arguments else len(arguments)
    return arguments[place] if place < len(arguments) else ""


def _print_error(error: WebstrataError, code: int) -> int:
    from webstrata.logs import harmless

    print(f"archive-tool: {harmless(str(error))}", file=sys.stderr)
    return code
