"""`webstrata audit --html`: what scripts and people get of a saved page."""

import gzip
import io
import json
from pathlib import Path

import pytest

from tests.audit.pages import CART, PRICE, SCHEMA, TITLE_IMAGE, URL, category, page
from webstrata.cli.main import run


def test_a_script_gets_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "mug.html.gz"
    saved.write_bytes(gzip.compress(page(TITLE_IMAGE, PRICE, CART, SCHEMA).encode()))
    assert run(["audit", "--html", str(saved), "--url", URL, "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert set(verdict) == {"valid", "policy", "signals", "score", "reasons"}
    assert (verdict["valid"], verdict["policy"], verdict["score"]) == (True, "v1.2", 1.0)
    assert verdict["signals"]["add_to_cart"] is True


def test_a_person_gets_reasons_and_a_large_page_is_read_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "mugs.html"
    saved.write_text(category(400))
    assert run(["audit", "--html", str(saved)]) == 0
    shown = capsys.readouterr().out
    assert "not a product page by policy v1.2" in shown
    assert "list of products" in shown
    assert run(["audit", "--html", str(saved), "--policy", "v1.1"]) == 0
    assert "a valid product page by policy v1.1" in capsys.readouterr().out


def test_wrong_input_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = tmp_path / "image.png"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\0")
    for arguments, reason in (
        (["--html", str(binary)], "is not an HTML page"),
        (["--html", str(tmp_path / "none.html")], "cannot be read"),
        (["--html", str(binary), "--url", "shop"], "is not a web address"),
        (["--html", str(binary), "--policy", "v7"], "there are v1.1, v1.2"),
        ([], "--html FILE"),
    ):
        assert run(["audit", *arguments]) in (1, 2)
        assert reason in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(page(PRICE).encode())))
    assert run(["audit", "--html", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is False
