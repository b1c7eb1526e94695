"""Fuzzing for ten minutes, guided by coverage: reading a page never fails in a way that is not documented."""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.foreign import foreign_programs
from tools.console import ROOT

SECONDS = 600
SEEDS = {
    "page": b"\0<!doctype html><html lang=en><title>a</title><body><h1>b</h1><p>c<ul><li>d<tr><td>e<td>f",
    "links": b"\1<base href=/x><a href=a rel=nofollow>b</a><img src=c alt=d><link rel=icon href=e><iframe src=f>",
    "metadata": b'\2<meta name=date content=2024-01-01><script type="application/ld+json">{"a":[1,]}</script>',
    "templates": b"\3<div><template shadowrootmode=open><slot></template>x</div><noscript><p>y</noscript><svg><title>z",
    "charset": b"\4<meta charset=shift_jis>\x93\xfa\x96\x7b <![CDATA[ <!-- --!> &#xD800; &notin; <plaintext>",
}


@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 300)
def test_no_page_that_a_fuzzer_makes_up_fails_to_be_read(tmp_path: Path) -> None:
    programs = foreign_programs("atheris", ["atheris==3.0.0"])
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, seed in SEEDS.items():
        (corpus / name).write_bytes(seed)
    paths = (ROOT / "src", Path(sysconfig.get_path("purelib")))
    result = subprocess.run(
        [
            programs / "python",
            Path(__file__).with_name("fuzz_pages.py"),
            corpus,
            f"-max_total_time={SECONDS}",
            "-max_len=8192",
            "-timeout=20",
            "-rss_limit_mb=3000",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4_000:]
