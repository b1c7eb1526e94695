"""The seed's own design of an indexer, run in an environment of its own: prints the seconds that a WARC takes.

It streams with warcio, gives the HTML to each helper as text, each helper parses it with BeautifulSoup's html.parser,
and all rows go into one transaction.
"""

import hashlib
import re
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from bs4 import BeautifulSoup  # type: ignore[import-not-found]
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-not-found]


def extract_title(html: str) -> str:
    soup = BeautifulSoup(html, "html.parser")
    found = soup.title or soup.find(["h1", "h2"])
    return found.get_text(" ", strip=True) if found else ""


def extract_text(html: str) -> str:
    soup = BeautifulSoup(html, "html.parser")
    for unseen in soup(["script", "style", "noscript"]):
        unseen.decompose()
    return re.sub(r"\s+", " ", soup.get_text(" ")).strip()


def extract_links(html: str, url: str) -> list[str]:
    soup = BeautifulSoup(html, "html.parser")
    return [urljoin(url, str(link["href"])) for link in soup.find_all("a", href=True)]


def make_snippet(text: str) -> str:
    return text[:280]


def detect_language(text: str, headers: Any) -> str:  # noqa: ANN401
    declared = headers.get_header("Content-Language") if headers else None
    return str(declared or ("fr" if len(re.findall(r"\b(?:le|la|les|des)\b", text)) > len(text) / 200 else "en"))


def main(path: str) -> None:
    place = Path(path).with_suffix(".seed.db")
    place.unlink(missing_ok=True)
    database = sqlite3.connect(place)
    database.execute(
        "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, url TEXT, captured TEXT, status TEXT, title TEXT, snippet TEXT,"
        " language TEXT, warc_path TEXT, record_id TEXT, content_hash TEXT, text TEXT)"
    )
    database.execute("CREATE TABLE outlinks(snapshot_id INTEGER, url TEXT)")
    began = time.monotonic()
    with open(path, "rb") as file:  # noqa: PTH123
        for number, record in enumerate(r for r in ArchiveIterator(file) if r.rec_type == "response"):
            save(database, number, record, path)
    database.commit()
    print(time.monotonic() - began)


def save(database: sqlite3.Connection, number: int, record: Any, path: str) -> None:  # noqa: ANN401
    body = record.content_stream().read()
    html = body.decode("utf-8", errors="replace")
    url = record.rec_headers.get_header("WARC-Target-URI")
    title, text = extract_title(html), extract_text(html)
    row = (
        *(number, url, record.rec_headers.get_header("WARC-Date"), record.http_headers.get_statuscode(), title),
        *(make_snippet(text), detect_language(text, record.http_headers), path),
        *(record.rec_headers.get_header("WARC-Record-ID"), hashlib.sha256(body).hexdigest(), text),
    )
    database.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    database.executemany("INSERT INTO outlinks VALUES (?, ?)", [(number, link) for link in extract_links(html, url)])


if __name__ == "__main__":
    main(sys.argv[1])
