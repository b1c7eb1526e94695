"""Checks of a job's configuration before it is run: reports every problem."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial

from webstrata.errors import ConflictError, OptionsError, UsageError
from webstrata.model.crawl.crawl_config import check_crawl_settings
from webstrata.model.crawl.scope import ScopeRules
from webstrata.model.jobs.job import SCOPE_KEYS, ArchiveJobConfig
from webstrata.model.jobs.tool_options import ZIMIT, OptionProblem, tool_option_problems
from webstrata.model.urls import parse_url

_SOME_SEED = ("https://example.org/",)
_KEYS = tuple(f.name for f in fields(ArchiveJobConfig))


def config_problems(stored: Mapping[str, object]) -> tuple[OptionProblem, ...]:
    """Return the problems of a job's configuration, by option; empty when it can be run."""
    unknown = [OptionProblem(key, f"unknown key {key!r}") for key in stored if key not in _KEYS]
    shaped = [problem for key in _KEYS if (problem := _misshapen(stored, key))]
    if unknown or shaped:
        return (*unknown, *shaped)
    config = ArchiveJobConfig.from_json({**stored, "crawl": {}, "scope": {}})
    crawl, scope = _inner(stored, "crawl"), _inner(stored, "scope")
    return (
        *_seed_problems(config),
        *_each("crawl", crawl, lambda name, value: check_crawl_settings({name: value})),
        *_scope_problems(scope),
        *tool_option_problems(config.tool_options, config.zimit_passthrough_args),
        *_meaningless(config.tool_options, crawl, scope),
    )


def check_job_config(config: ArchiveJobConfig) -> None:
    """Raise ConflictError with all problems of a stored configuration that `config_problems` finds."""
    if problems := config_problems(config.to_json()):
        raise ConflictError("; ".join(problem.reason for problem in problems))


def check_for_engine(config: ArchiveJobConfig) -> None:
    """Raise OptionsError when a job has options that only the other engine supports."""
    for problem in _meaningless(config.tool_options, config.crawl, config.scope):
        raise OptionsError(problem.reason)


def _meaningless(
    options: Mapping[str, object], crawl: Mapping[str, object], scope: Mapping[str, object]
) -> Iterator[OptionProblem]:
    """Yield a problem for each setting that zimit would ignore: it supports neither our crawl settings nor our
    scope."""
    if options.get("engine") != ZIMIT:
        return
    for part, values in (("crawl", crawl), ("scope", scope)):
        for name in values:
            reason = f"{name} has no effect with {ZIMIT}: use zimit_passthrough_args"
            yield OptionProblem(f"{part}.{name}", reason)


def _misshapen(stored: Mapping[str, object], key: str) -> OptionProblem | None:
    value = stored.get(key)
    if key in ("crawl", "scope", "tool_options"):
        is_right, requested = key not in stored or isinstance(value, Mapping), "names and their values"
    else:
        words = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
        is_right, requested = words or (value is None and (key not in stored or key == "plugins")), "a list of words"
    return None if is_right else OptionProblem(key, f"{key} must be {requested}")


def _inner(stored: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = stored.get(key)
    return value if isinstance(value, Mapping) else {}


def _seed_problems(config: ArchiveJobConfig) -> Iterator[OptionProblem]:
    if not config.seeds:
        yield OptionProblem("seeds", "there are no seeds: give a URL such as https://example.org/")
    for seed in config.seeds:
        yield from _problem_of("seeds", partial(parse_url, seed))


def _scope_problems(scope: Mapping[str, object]) -> Iterator[OptionProblem]:
    for name, value in scope.items():
        option = f"scope.{name}"
        if name not in SCOPE_KEYS:
            yield OptionProblem(option, f"unknown key {name!r} in scope (there are {', '.join(sorted(SCOPE_KEYS))})")
        elif not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
            yield OptionProblem(option, f"{name} must be a list of words")
        else:
            words = tuple(value)
            yield from _problem_of(option, partial(ScopeRules.of, _SOME_SEED, **{name: words}))


def _each(part: str, values: Mapping[str, object], check: Callable[[str, object], object]) -> Iterator[OptionProblem]:
    for name, value in values.items():
        yield from _problem_of(f"{part}.{name}", partial(check, name, value))


def _problem_of(option: str, check: Callable[[], object]) -> Iterator[OptionProblem]:
    try:
        check()
    except UsageError as error:
        yield OptionProblem(option, str(error))
