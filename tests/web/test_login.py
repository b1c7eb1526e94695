import pytest

from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.http.auth import SESSION_COOKIE
from webstrata.web.login import local_path


def test_the_right_token_opens_the_pages_of_administrators(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    assert Page(client.get("/jobs")).status == 403
    response = client.post("/login", data={"token": f" {TOKEN} "}, headers=OWN_ORIGIN, follow_redirects=False)
    assert response.status_code == 303
    assert response.headers["location"] == "/jobs"
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    page = Page(client.get("/jobs"))
    assert page.status == 200
    assert page.all("form[action='/logout'][method=post]")


def test_signing_out_closes_them_again(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    client.post("/login", data={"token": TOKEN}, headers=OWN_ORIGIN)
    response = client.post("/logout", headers=OWN_ORIGIN, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert Page(client.get("/jobs")).status == 403


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN.upper(), "\x00", "é"])
def test_a_wrong_token_is_reported_beside_the_field(make_client: MakeClient, token: str) -> None:
    client = make_client(token=TOKEN)
    response = client.post("/login", data={"token": token, "next": "/jobs/7"}, headers=OWN_ORIGIN)
    page = Page(response)
    assert page.status == 403
    assert page.text("#token-problem") == "✕ That is not the admin token."
    assert "value" not in page.one("#token").attributes
    assert page.one("input[name=next]").attributes["value"] == "/jobs/7"
    assert "set-cookie" not in response.headers


def test_after_too_many_wrong_tokens_pages_look_at_none_for_a_while(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)

    def opened_with(token: str) -> list[int]:
        headers = {"X-Admin-Token": token, "X-Forwarded-For": "203.0.113.5"}
        return [client.get(path, headers=headers).status_code for path in ("/", "/jobs")]

    assert opened_with(TOKEN) == [200, 200]
    assert [opened_with("wrong") for _ in range(6)] == [[200, 403]] * 6
    assert opened_with(TOKEN) == [200, 403]


def test_other_sites_can_neither_sign_in_nor_out(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    for path in ("/login", "/logout"):
        response = client.post(path, data={"token": TOKEN}, headers={"Origin": "https://evil.example"})
        assert Page(response).status == 403
        assert "set-cookie" not in response.headers


def test_signing_in_leads_back_to_the_page_that_requested_it(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    page = Page(client.get("/login?next=/jobs/7"))
    assert page.one("input[name=next]").attributes["value"] == "/jobs/7"
    response = client.post(
        "/login", data={"token": TOKEN, "next": "/jobs/7"}, headers=OWN_ORIGIN, follow_redirects=False
    )
    assert response.headers["location"] == "/jobs/7"


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "/a\nb", "//[", "jobs"],
)
def test_signing_in_never_leads_to_another_site(address: str) -> None:
    assert local_path(address) == "/jobs"


def test_a_path_of_this_site_is_kept() -> None:
    assert local_path("/search?q=a&page=2") == "/search?q=a&page=2"


def test_where_everything_is_open_there_is_no_sign_in(make_client: MakeClient) -> None:
    client = make_client()
    assert "Sign in" not in Page(client.get("/")).text("header")
    response = client.get("/login", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/jobs")


def test_without_a_token_no_one_can_sign_in(make_client: MakeClient) -> None:
    client = make_client(env="production")
    assert Page(client.get("/login")).status == 404
    assert Page(client.post("/login", data={"token": ""}, headers=OWN_ORIGIN)).status == 403
    assert "Sign in" not in Page(client.get("/")).text("header")


def test_a_made_up_cookie_opens_nothing(make_client: MakeClient) -> None:
    client = make_client(token=TOKEN)
    client.cookies.set(SESSION_COOKIE, "99999999999.00")
    assert Page(client.get("/jobs")).status == 403
