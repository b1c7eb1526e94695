import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import UsageError
from webstrata.jobs.sources.job_files import JobFile, read_job_file
from webstrata.model.crawl.crawl_config import CRAWL_SETTING_TYPES, CrawlConfig
from webstrata.model.crawl.scope import ScopeRules
from webstrata.settings import load_settings

SITE = "https://example.org/"
URL = f"url: {SITE}\n"

WHOLE = """\
# A comment
seeds:
  - https://Example.org
  - example.org/fr/
  - https://example.org/
source: {code: example-org, name: "The example: a site"}
crawl:
  max_pages: 500
  per_host_delay: 2
  respect_robots: no
  user_agent: webstrata-test/1
scope:
  allowed_domains: [example.org, "*.example.net"]
  allow_paths:
    - /news/
    - /fr
  deny_paths: ["*.zip$"]
plugins: [page, media]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "job.yaml"


def read(file: Path, content: str | bytes) -> JobFile:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_job_file(file, CRAWL_SETTING_TYPES)


def refusal(file: Path, content: str | bytes) -> str:
    """Return the reason why a file is refused, without the file's folder."""
    with pytest.raises(UsageError) as refused:
        read(file, content)
    return str(refused.value).removeprefix(f"{file.parent}/")


def test_a_job_file_states_what_to_archive_and_how(file: Path) -> None:
    assert read(file, WHOLE) == JobFile(
        seeds=(SITE, "https://example.org/fr/"),
        scope=ScopeRules(("example.org", "*.example.net"), ("/news/", "/fr"), ("*.zip$",)),
        source_code="example-org",
        source_name="The example: a site",
        crawl={
            "max_pages": 500,
            "per_host_delay": 2,
            "respect_robots": False,
            "user_agent": "webstrata-test/1",
        },
        plugins=("page", "media"),
    )


def test_a_job_file_needs_no_more_than_an_address(file: Path) -> None:
    assert read(file, "url: example.org") == JobFile(seeds=(SITE,), scope=ScopeRules.of([SITE]))


def test_without_domains_a_job_stays_on_those_of_its_seeds(file: Path) -> None:
    scope = read(file, URL + "scope: {deny_paths: [/private]}").scope
    assert scope == ScopeRules.of([SITE], deny_paths=["/private"])


def test_an_empty_list_of_plugins_differs_from_a_missing_one(file: Path) -> None:
    assert read(file, URL + "plugins: []").plugins == ()
    assert read(file, URL).plugins is None


def test_a_value_may_be_written_once_and_used_twice(file: Path) -> None:
    job = read(file, "seeds: [&home https://example.org/]\nsource: {code: x, name: *home}")
    assert job.source_name == SITE


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "job.yaml:1: the file is empty"),
        ("# nothing\n", "job.yaml:1: the file is empty"),
        ("- a", "job.yaml:1: a job file must be a mapping, not a list"),
        ("example.org", "job.yaml:1: a job file must be a mapping, not 'example.org'"),
        ("\nplugins: [page]", "job.yaml:2: nothing to archive: give a url, or seeds"),
        ("plugins: [page]\nseeds: []", "job.yaml:2: nothing to archive: give a url, or seeds"),
        (URL + "seeds: [https://example.org/]", "job.yaml:2: give url or seeds, not both"),
        (URL + "crawl:\n  max_page: 5", "job.yaml:3: unknown key 'max_page' in crawl (did you mean max_pages?)"),
        (URL + "\nsed: 1", "job.yaml:3: unknown key 'sed' in a job file (did you mean seeds?)"),
        (URL + "source:\n  code: x\n  title: y", "job.yaml:4: unknown key 'title' in source"),
        (URL + "scope: {domains: [x]}", "job.yaml:2: unknown key 'domains' in scope (did you mean allowed_domains?)"),
        (URL + "1: 2", "job.yaml:2: unknown key '1' in a job file"),
        (URL + "? [a]\n: 2", "job.yaml:2: unknown key 'a list' in a job file"),
        (URL + "<<: {plugins: [x]}", "job.yaml:2: unknown key '<<' in a job file"),
        (URL + URL, "job.yaml:2: url is given twice in a job file"),
        (
            URL + "crawl:\n  max_pages: 5\n  max_depth: 1\n  max_pages: 6",
            "job.yaml:5: max_pages is given twice in crawl",
        ),
        (URL + "crawl: {max_pages: 5.5}", "job.yaml:2: crawl.max_pages must be a whole number, not '5.5'"),
        (URL + "crawl: {max_pages: true}", "job.yaml:2: crawl.max_pages must be a whole number, not 'true'"),
        (URL + "crawl: {max_pages: '5'}", "job.yaml:2: crawl.max_pages must be a whole number, not '5'"),
        (URL + "crawl: {max_pages: [5]}", "job.yaml:2: crawl.max_pages must be a whole number, not a list"),
        (URL + "crawl: {max_pages: }", "job.yaml:2: crawl.max_pages must be a whole number, not ''"),
        (URL + "crawl: {max_pages: !!int ''}", "job.yaml:2: crawl.max_pages must be a whole number, not ''"),
        (URL + f"crawl: {{max_pages: {'9' * 5_000}}}", "job.yaml:2: crawl.max_pages must be a whole number, not '999"),
        (URL + "crawl: {per_host_delay: fast}", "job.yaml:2: crawl.per_host_delay must be a number, not 'fast'"),
        (URL + "crawl: {respect_robots: 1}", "job.yaml:2: crawl.respect_robots must be true or false, not '1'"),
        (URL + "crawl: {respect_robots: !!bool x}", "job.yaml:2: crawl.respect_robots must be true or false, not 'x'"),
        (URL + "crawl: {per_host_concurrency: 1.5}", "job.yaml:2: crawl.per_host_concurrency must be a whole number"),
        (URL + "crawl: {jitter: null}", "job.yaml:2: crawl.jitter must be a number, not 'null'"),
        (URL + "crawl: {fetcher: ftp}", "job.yaml:2: crawl.fetcher must be http, null, browser or auto, not 'ftp'"),
        (URL + "crawl: {fetcher: }", "job.yaml:2: crawl.fetcher must be http, null, browser or auto, not ''"),
        (URL + "crawl: {fetcher: [http]}", "job.yaml:2: crawl.fetcher must be http, null, browser or auto, not a list"),
        (URL + "crawl: {user_agent: 5}", "job.yaml:2: crawl.user_agent must be text, in quotes if"),
        (URL + "crawl:\n- max_pages: 5", "job.yaml:3: crawl must be a mapping, not a list"),
        (URL + "crawl:", "job.yaml:2: crawl must be a mapping, not ''"),
        ("url: [https://example.org/]", "job.yaml:1: url must be text, in quotes if it looks like something else"),
        ("seeds: https://example.org/", "job.yaml:1: seeds must be a list, not 'https://example.org/'"),
        ("seeds:\n- https://example.org/\n- ftp://x.example/", "job.yaml:3: 'ftp://x.example/' is not a web address"),
        ("seeds:\n- https://example.org/\n- 2024", "job.yaml:3: an entry of seeds must be text"),
        ("seeds: &s\n- *s", "job.yaml:1: an entry of seeds must be text, in quotes if"),
        (URL + "source: {code: ../../etc}", "job.yaml:2: '../../etc' is not a source's code"),
        (URL + "source: {code: 2024}", "job.yaml:2: source.code must be text"),
        (URL + "source: {name: ' '}", "job.yaml:2: a source's name must be a line of 1 to 200 characters"),
        (URL + 'source: {name: "a\\nb"}', "job.yaml:2: a source's name must be a line"),
        (URL + "scope:\n  allowed_domains:\n  - a.example\n  - https://x/", "job.yaml:5: 'https://x/' is not a domain"),
        (URL + "scope:\n  deny_paths: [private]", "job.yaml:3: 'private' is not a path pattern"),
        (URL + "scope:\n  deny_paths: /private", "job.yaml:3: scope.deny_paths must be a list, not '/private'"),
        (URL + f"scope:\n  deny_paths: [{'/x, ' * 1_001}]", "job.yaml:3: a job cannot have more than 1000"),
        (URL + "plugins: [page, '../x']", "job.yaml:2: '../x' is not a plugin's name"),
        (URL + "plugins: page", "job.yaml:2: plugins must be a list, not 'page'"),
    ],
)
def test_what_a_job_file_should_not_say_is_refused_with_its_position(file: Path, content: str, reason: str) -> None:
    assert refusal(file, content).startswith(reason)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("url: [\n", "job.yaml:2: expected the node content, but found '<stream end>'"),
        ("a: b\n  c: d: e", "job.yaml:2: mapping values are not allowed here"),
        (URL + "scope:\n  allowed_domains: [*.example.org]", "job.yaml:3: "),
        (URL + "plugins: [*gone]", "job.yaml:2: found undefined alias 'gone'"),
        (URL + "---\n" + URL, "job.yaml:2: but found another document"),
        (URL + "# \x00", "job.yaml:2: special characters are not allowed"),
        (URL.encode() + b"# \xff", "job.yaml:2: invalid start byte"),
        ("[" * 50_000, "job.yaml:1: nested too deep"),
        ("- " * 50_000, "job.yaml:1: nested too deep"),
        (URL + 'source: {name: "\\U99999999"}', "job.yaml:2: a number that YAML cannot have"),
        (URL + 'source: {name: "\\U00110000"}', "job.yaml:2: a number that YAML cannot have"),
        (f"%YAML {'9' * 5_000}.1\n---\n", "job.yaml:1: a number that YAML cannot have"),
        ("#" * 262_145, "job.yaml: a job file cannot be larger than 262144 bytes"),
    ],
    ids=[
        *("open", "colons", "asterisk", "alias", "documents", "null", "latin", "brackets", "dashes"),
        *("overflow", "no character", "version", "size"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_position(file: Path, content: str | bytes, reason: str) -> None:
    assert refusal(file, content).startswith(reason)


def test_nothing_is_run_because_a_file_asks_for_it(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "made"
    for tag in ("!!python/object/apply:os.mkdir", "!!python/object/new:os.mkdir"):
        assert "must be text" in refusal(file, f"url: {tag} ['{target}']")
        assert "must be text" in refusal(file, f"url: {tag} {target}")
    assert not target.exists()


def test_aliases_that_multiply_are_not_followed(file: Path) -> None:
    levels = ["plugins:", "  - &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert refusal(file, URL + "\n".join(levels)).startswith("job.yaml:3: an entry of plugins must be text")


@pytest.mark.parametrize("name", ["gone.yaml", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"No such file|Is a directory"):
        read_job_file(tmp_path / name, CRAWL_SETTING_TYPES)


@pytest.mark.parametrize("written", ["null", "~", ""])
def test_a_setting_that_may_be_nothing_can_be_given_as_nothing(file: Path, written: str) -> None:
    file.write_text(f"{URL}crawl:\n  per_host_delay: {written}\n  max_bytes: {written}", encoding="utf-8")
    assert read_job_file(file, CRAWL_SETTING_TYPES).crawl == {"per_host_delay": None, "max_bytes": None}


@pytest.mark.parametrize("written", ["null", "'null'", "http"])
def test_a_fetcher_is_called_by_its_name_even_if_yaml_means_nothing_by_it(file: Path, written: str) -> None:
    file.write_text(f"{URL}crawl: {{fetcher: {written}}}", encoding="utf-8")
    assert read_job_file(file, CRAWL_SETTING_TYPES).crawl == {"fetcher": written.strip("'")}


def test_every_setting_of_a_crawl_can_be_given_and_its_bounds_are_kept(file: Path, tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path / "nothing")
    defaults = {f.name: getattr(settings, f.name) for f in fields(CrawlConfig)}
    config = CrawlConfig(**defaults)
    lines = [f"  {name}: {json.dumps(value)}" for name, value in defaults.items()]
    file.write_text("\n".join([URL.strip(), "crawl:", *lines]), encoding="utf-8")
    job = read_job_file(file, CRAWL_SETTING_TYPES, config.overridden)
    assert config.overridden(job.crawl) == config
    file.write_text(f"{URL}crawl:\n  max_depth: 3\n  concurrency: 0", encoding="utf-8")
    with pytest.raises(UsageError, match=r"job\.yaml:4: a job's concurrency cannot be 0$"):
        read_job_file(file, CRAWL_SETTING_TYPES, config.overridden)


@given(st.text() | st.sampled_from(["{}: &a", "- *a", "!!x y", "%YAML 9", "? :"]), st.text())
def test_any_text_is_a_job_or_refused(tmp_path_factory: pytest.TempPathFactory, start: str, end: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    for content in (URL + start + end, f"{URL}plugins: [{start}]\n{end}", f"{URL}crawl:\n  {start}: {end}"):
        file.write_bytes(content.encode("utf-8", "surrogatepass"))
        assert outcome(file).startswith((SITE, f"{file}:"))


def outcome(file: Path) -> str:
    try:
        return read_job_file(file, CRAWL_SETTING_TYPES).seeds[0]
    except UsageError as refused:
        return str(refused)
