from datetime import timedelta

from starlette.testclient import TestClient

from tests.api.archives import NOON, Archive
from webstrata.db.links.links import SnapshotLinks, store_outlinks
from webstrata.model.urls import url_group


def test_a_source_has_all_that_the_contract_names(client: TestClient, archive: Archive) -> None:
    archive.source("health", "Health Agency", base_url="https://health.example/")
    entry = archive.snapshot("https://health.example/", at=NOON)
    latest = archive.snapshot("https://health.example/flu", at=NOON + timedelta(days=2))
    assert client.get("/api/sources").json() == [
        {
            "sourceCode": "health",
            "sourceName": "Health Agency",
            "baseUrl": "https://health.example/",
            "description": "All of health",
            "recordCount": 2,
            "firstCapture": "2024-05-01",
            "lastCapture": "2024-05-03",
            "latestRecordId": latest,
            "entryRecordId": entry,
            "entryBrowseUrl": f"http://testserver/web/20240501120000/https://health.example/#ha_snapshot={entry}",
            "entryPreviewUrl": None,
        }
    ]


def test_sources_without_a_snapshot_and_the_test_source_are_not_listed(client: TestClient, archive: Archive) -> None:
    archive.source("empty")
    for code, name in (("b", "Zoo"), ("a", "alpha"), ("c", "Beta"), ("test", "Aaa")):
        archive.source(code, name)
        archive.snapshot(f"https://{code}.example/", source=code)
    assert [source["sourceName"] for source in client.get("/api/sources").json()] == ["alpha", "Beta", "Zoo"]


def test_a_source_whose_front_page_was_not_captured_has_no_entry(client: TestClient, archive: Archive) -> None:
    archive.source("health", base_url="https://health.example/")
    archive.snapshot("https://health.example/flu")
    (source,) = client.get("/api/sources").json()
    assert (source["entryRecordId"], source["entryBrowseUrl"]) == (None, None)
    (in_french,) = client.get("/api/sources", params={"lang": "fr"}).json()
    assert in_french == source


def test_a_source_is_entered_in_the_readers_language_when_it_can_be(client: TestClient, archive: Archive) -> None:
    archive.source("health", base_url="https://health.example/")
    front = "https://health.example/"
    archive.snapshot(front, at=NOON, language="fr-CA")
    french = archive.snapshot(front, at=NOON + timedelta(days=1), language="fr")
    archive.snapshot(front, at=NOON + timedelta(days=2), language="fr", status_code=500)
    english = archive.snapshot(front, at=NOON + timedelta(days=3), language="en")
    entries = {
        lang: client.get("/api/sources", params={"lang": lang} if lang else {}).json()[0]["entryRecordId"]
        for lang in (None, "en", "fr")
    }
    assert entries == {None: english, "en": english, "fr": french}


def test_a_front_page_in_another_language_is_the_one_that_the_front_page_leads_to(
    client: TestClient, archive: Archive
) -> None:
    site = "https://health.example"
    source_id = archive.source("health", base_url=f"{site}/en/home.html")
    before = archive.snapshot(f"{site}/en/home.html", at=NOON - timedelta(days=1))
    english = archive.snapshot(f"{site}/en/home.html")
    paths = ("/fr", "/fr/accueil.html", "/fr/sujets/rhume.html", "/en/topics.html", "/fr/seul.html")
    others = {path: archive.snapshot(site + path, language=path[1:3]) for path in paths}
    led_to = tuple(site + path for path in paths[:-1])
    pages = {before: "/en/home.html", english: "/en/home.html"} | {others[path]: path for path in others}
    with archive.database.write() as session:
        links = [
            SnapshotLinks(
                number, source_id, url_group(site + path), NOON, True, led_to if path == "/en/home.html" else ()
            )
            for number, path in pages.items()
        ]
        store_outlinks(session, links)
    entries = [client.get("/api/sources", params={"lang": lang}).json()[0]["entryRecordId"] for lang in ("en", "fr")]
    assert entries == [english, others["/fr/accueil.html"]]


def test_another_language_is_refused(client: TestClient) -> None:
    for lang in ("de", "", "EN", "en\x00"):
        answer = client.get("/api/sources", params={"lang": lang})
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["loc"] == ["query", "lang"]
