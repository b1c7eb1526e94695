"""The demo shops: clean, walled, scripted, hub, slow, limited and blocking."""

from tests.audit.shops.pages import ENGLISH, FRENCH, GERMAN, PIXELS, Words, document, home, product
from tests.support.web_server import Answer, Script, slowly

Shop = dict[str, Script]

_IMAGE = Answer(PIXELS, headers=(("Content-Type", "image/png"),))
_WALL = """<div class="wall" id="consent"><div role="dialog" aria-label="Cookies"><p>{text}</p>
<button onclick="location.href = '/checkout'">{order}</button>
<button id="no" onclick="document.getElementById('consent').remove(); document.title += ' no'">{reject}</button>
<button onclick="document.getElementById('consent').remove(); document.title += ' yes'">{accept}</button></div></div>
<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend',
'<div class="wall" id="letter"><div>Newsletter <input type="email"></div></div>'), 300)</script>"""
_BLOCKED = """<!doctype html><title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>
<p>You are unable to access this site. Why have I been blocked? This website is using a security service to protect
itself from online attacks.</p>"""


def clean(words: Words = ENGLISH) -> Shop:
    """Return a shop without obstacles."""
    return {
        "/": Answer(home(words, "/products/green-tea", "/products/black-tea")),
        "/products/green-tea": Answer(product(words, "Green tea")),
        "/products/black-tea": Answer(product(words, "Black tea")),
        "/tea.png": _IMAGE,
    }


def walled() -> Shop:
    """Return a German shop with a consent wall, and a newsletter overlay that has no control to close it."""
    wall = _WALL.format(
        text="Wir verwenden Cookies.", order="Jetzt kaufen", reject="Alle ablehnen", accept="Alle akzeptieren"
    )
    return clean(GERMAN) | {
        "/": Answer(home(GERMAN, "/products/green-tea", extra=wall)),
        "/products/green-tea": Answer(product(GERMAN, "Grüner Tee", extra=wall)),
    }


def scripted() -> Shop:
    """Return a French shop whose product page is built by a script from what it fetches."""
    shell = """<h1 id="name"></h1><div id="app"></div><script>
setTimeout(() => fetch('/api/tea').then((response) => response.text()).then((html) => {
document.getElementById('app').innerHTML = html; document.getElementById('name').textContent = 'Thé vert'; }), 400)
</script>"""
    inner = f"""<img src="/tea.png" alt="Thé vert" width="200" height="200"><p class="price">{FRENCH.price}</p>
<button>{FRENCH.add_to_cart}</button><p>{FRENCH.about} {FRENCH.about} {FRENCH.about}</p>"""
    return clean(FRENCH) | {
        "/": Answer(home(FRENCH, "/products/green-tea")),
        "/products/green-tea": Answer(document(FRENCH, "Thé", shell)),
        "/api/tea": Answer(inner.encode()),
    }


def hub() -> Shop:
    """Return a shop whose links only lead to lists of products."""
    links = ["/products/a", "/products/b"]
    shop = clean() | {"/": Answer(home(ENGLISH, *links))}
    return shop | {path: Answer(home(ENGLISH, *(f"{path}/{n}" for n in range(6)))) for path in links}


def slow() -> Shop:
    """Return a shop that takes seconds for each page."""
    shop = clean()
    for path in ("/", "/products/green-tea"):
        answer = shop[path]
        assert isinstance(answer, Answer)
        shop[path] = slowly(3, answer)
    return shop


def limited() -> Shop:
    """Return a shop that answers 429 first, then as it should."""
    shop = clean()
    answer = shop["/"]
    assert isinstance(answer, Answer)
    return shop | {"/": [Answer(b"<title>Too many requests</title>", status=429), answer]}


def blocking() -> Shop:
    """Return a shop that lets no robot in."""
    return {"/": Answer(_BLOCKED.encode(), status=403)}
