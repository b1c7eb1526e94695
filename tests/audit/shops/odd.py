"""Shops with what real ones have: walls in frames and shadow trees, gates, late overlays, scripts, odd links."""

from tests.audit.shops.pages import ENGLISH, FRENCH, GERMAN, document, home, product
from tests.audit.shops.shops import Shop, clean
from tests.support.web_server import Answer, Request, Script, redirect, slowly

_SCRIPT = (("Content-Type", "text/javascript"),)


def _scripted(script: str) -> str:
    return f"<script>{script}</script>"


def _everywhere(extra: str, shop: Shop | None = None) -> Shop:
    """Return a clean shop whose pages all end with some markup."""
    return (shop or clean()) | {
        "/": Answer(home(ENGLISH, "/products/green-tea", extra=extra)),
        "/products/green-tea": Answer(product(ENGLISH, "Green tea", extra=extra)),
    }


def framed_wall() -> Shop:
    """Return a shop whose cookie wall is a frame of a consent service."""
    frame = f"""<p>Nous utilisons des cookies.</p><button>Tout accepter</button><button>Continuer sans accepter</button>
{_scripted("onclick = (event) => parent.postMessage(event.target.innerText, '*')")}"""
    wall = f"""<iframe id="cmp" src="/cmp" style="position:fixed;inset:0;width:100%;height:100%;z-index:9"></iframe>
{_scripted("onmessage = (event) => { fetch('/chose?' + event.data); document.getElementById('cmp').remove(); }")}"""
    return _everywhere(wall) | {"/cmp": Answer(frame.encode())}


def shadow_wall() -> Shop:
    """Return a shop with a cookie wall in an open shadow tree, and an overlay without a control in a closed one."""
    script = """
const wall = document.body.appendChild(document.createElement('cookie-wall')).attachShadow({mode: 'open'});
wall.innerHTML = '<div style="position:fixed;inset:0;background:#fff;z-index:9"><button>OK</button>' +
  '<button id=no>Deny all</button></div>';
wall.getElementById('no').onclick = () => { fetch('/chose?no'); wall.host.remove(); };
const offer = document.body.appendChild(document.createElement('big-offer')).attachShadow({mode: 'closed'});
offer.innerHTML = '<div style="position:fixed;inset:0;background:#faa;z-index:8">Ten percent off</div>';
const letter = document.body.appendChild(document.createElement('news-letter')).attachShadow({mode: 'open'});
letter.innerHTML = '<div style="position:fixed;inset:0;background:#afa;z-index:7">Our newsletter</div>';"""
    return _everywhere(_scripted(script))


def late_overlay() -> Shop:
    """Return a shop whose newsletter overlay appears three seconds after the page."""
    overlay = _scripted("""setTimeout(() => document.body.insertAdjacentHTML('beforeend',
'<div class="wall" id="late"><div role="dialog"><form action="/subscribe">' +
'<input type="email"><button>Subscribe</button>' +
'<button type="button" aria-label="Close" onclick="document.getElementById(&quot;late&quot;).remove()">×</button>' +
'Newsletter</form></div></div>'), 3000)""")
    return _everywhere(overlay)


def age_gate() -> Shop:
    """Return a wine shop that asks for the visitor's age."""
    gate = """<div class="wall" id="gate"><div role="dialog"><h2>Are you over 18?</h2>
<button onclick="location.href = '/too-young'">No</button>
<button onclick="fetch('/of-age'); document.getElementById('gate').remove()">Yes</button></div></div>"""
    return _everywhere(gate)


def region_picker() -> Shop:
    """Return a German shop that would rather send the visitor to another country's."""
    picker = """<dialog id="region"><p>It looks like you are in the United States.</p>
<button onclick="location.href = '/us/'">OK</button><a href="/us/">Go to the US shop</a>
<form method="dialog"><button>Stay on this site</button></form></dialog>
<script>document.getElementById('region').showModal()</script>"""
    shop = clean(GERMAN) | {"/us/": Answer(document(ENGLISH, "US", "<h1>US</h1>"))}
    return shop | {
        "/": Answer(home(GERMAN, "/products/green-tea", extra=picker)),
        "/products/green-tea": Answer(product(GERMAN, "Grüner Tee", extra=picker)),
    }


def order_form() -> Shop:
    """Return a shop with buttons that are not of popups: of an order bar, a closed cart and a widget."""
    bar = """<div style="position:fixed;bottom:0;left:0;right:0;height:90px;background:#eee">
<form action="/checkout/confirm">
<label><input type="checkbox"> Terms</label><button>I agree</button></form>
<button onclick="location.assign('/order/new')">Got it</button><a role="button" data-href="/payment" href="#"
onclick="location = this.dataset.href">OK</a></div>
<aside role="dialog" style="position:fixed;top:0;width:300px;height:100%;transform:translateX(-400px)">
<button onclick="fetch('/order/closed')">Close</button></aside>
<iframe src="/widget" width="300" height="90"></iframe>"""
    return _everywhere(bar) | {"/widget": Answer(b"<button onclick=\"fetch('/payment/agreed')\">I agree</button>")}


def single_page() -> Shop:
    """Return a shop that is one document: scripts draw its pages, change its address and insert its structured data."""
    script = """
const tea = {name: 'Thé vert', price: '24,50 €'};
const draw = () => {
  const app = document.getElementById('app');
  const isProduct = location.pathname.startsWith('/the/');
  if (isProduct) {
    document.title = tea.name;
    app.innerHTML = `<h1>${tea.name}</h1><img src="/tea.png" width="300" height="300"><p class="price">${tea.price}</p>
      <button>Ajouter au panier</button><p>${'Un thé doux et frais. '.repeat(12)}</p>`;
    const data = document.createElement('script');
    data.type = 'application/ld+json';
    data.textContent = JSON.stringify({'@context': 'https://schema.org', '@type': 'Product', name: tea.name,
      offers: {'@type': 'Offer', price: 24.5, priceCurrency: 'EUR'}});
    document.head.append(data);
  } else {
    app.innerHTML = '<h1>Thé du port</h1><p>' + 'Nos thés sont mélangés à la main. '.repeat(8) +
      '</p><div id="grid"></div>';
    new IntersectionObserver((seen, observer) => {
      if (!seen[0].isIntersecting) return;
      observer.disconnect();
      setTimeout(() => { document.getElementById('grid').innerHTML = [1, 2, 3].map((n) =>
        `<div class="tile"><a href="/the/${n}"><img src="/tea.png">Thé ${n}</a><span>${tea.price}</span></div>`)
        .join('');
      }, 300);
    }).observe(document.getElementById('grid'));
  }
};
addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (link) { event.preventDefault(); history.pushState({}, '', link.href); draw(); }
});
setTimeout(draw, 500);"""
    shell = (
        f'<!doctype html><html lang="fr"><title>…</title><body><div id="app"></div>{_scripted(script)}</body></html>'
    )
    return clean() | {path: Answer(shell.encode()) for path in ("/", "/the/1", "/the/2", "/the/3")}


def clicked_cards() -> Shop:
    """Return a shop whose product cards are no links: scripts open the product."""
    cards = """<div class="grid"><div class="product-card" onclick="location.href='/w/green-tea-100g'">
<img src="/tea.png">Green tea <span class=price>$24.50</span></div>
<div class="product-card" data-href="/w/black-tea-100g">
<img src="/tea.png">Black tea <span class=price>$21.00</span></div></div>"""
    body = f"<h1>Harbour Tea</h1><p>{ENGLISH.about * 3}</p>{cards}"
    shop = {path: Answer(product(ENGLISH, "Tea")) for path in ("/w/green-tea-100g", "/w/black-tea-100g")}
    return clean() | shop | {"/": Answer(document(ENGLISH, "Harbour Tea", body))}


def tracked_links() -> Shop:
    """Return a shop with a base address, a mega menu, and cards that link one page with many tracking parameters."""
    menu = "".join(f'<li><a href="menu/{n}/{m}">Menu {n} {m}</a></li>' for n in range(20) for m in range(15))
    twins = "".join(
        f'<div class="product-card"><a href="products/set?utm_source=home&utm_content={n}#top">Set</a> $5.00</div>'
        for n in range(25)
    )
    cards = f'{twins}<div class="product-card"><a href="products/green-tea?gclid=1">Tea</a> $24.50</div>'
    body = f"<nav><ul>{menu}</ul></nav><h1>Harbour Tea</h1><p>{ENGLISH.about * 3}</p>{cards}"
    page = document(ENGLISH, "Harbour Tea", body).replace(b"<head>", b'<head><base href="/shop/">')
    listed = Answer(home(ENGLISH, *(f"/shop/products/set/{n}" for n in range(6))))

    def respond(request: Request) -> Answer:
        path = request.path.partition("?")[0]
        if path == "/shop/products/set":
            return listed
        return Answer(product(ENGLISH, "Green tea")) if path == "/shop/products/green-tea" else Answer(status=404)

    paths = ["/shop/products/green-tea?gclid=1", "/shop/products/green-tea"]
    shop: Shop = dict.fromkeys(paths, respond)
    twin_paths = ["/shop/products/set", *(f"/shop/products/set?utm_source=home&utm_content={n}" for n in range(25))]
    return clean() | {"/": Answer(page)} | shop | dict.fromkeys(twin_paths, respond)


def moving_home() -> Shop:
    """Return a shop whose entry moves on to another page: at once by a tag, then by a script once it is loaded."""
    shop = clean()
    shop["/welcome"] = shop["/"]
    shop["/gate"] = Answer(
        b"<h1>One moment</h1><script>onload = () => setTimeout(() => location = '/welcome', 1200)</script>"
    )
    shop["/"] = Answer(b"<meta http-equiv=refresh content='0; url=/gate'><h1>Loading</h1>")
    return shop


def captcha() -> Shop:
    """Return a shop that shows a captcha with status 200."""
    page = b"""<!doctype html><title>Are you a robot?</title><h1>Please verify you are a human</h1>
<p>Complete the captcha to continue.</p>
<form action="/verify"><div class="g-recaptcha" data-sitekey="x"></div></form>"""
    return {"/": Answer(page)}


def never_idle() -> Shop:
    """Return a shop whose pages poll, change and stream for ever, with a third party that responds late."""
    extra = """<script src="/late.js" async></script><b id="clock"></b>
<script>setInterval(() => { document.getElementById('clock').textContent = Date.now(); fetch('/poll'); }, 100);
new EventSource('/events');</script>"""
    late: Script = slowly(20, Answer(b"", headers=_SCRIPT))
    return _everywhere(extra) | {"/late.js": late, "/poll": Answer(b"1"), "/events": slowly(40, Answer(b""))}


def windows() -> Shop:
    """Return a shop that opens dialogs and windows and asks whether one really wants to leave."""
    extra = _scripted("""
onbeforeunload = (event) => { event.preventDefault(); return 'Stay!'; };
for (let n = 0; n < 5; n += 1) window.open('/offer?' + n);
setTimeout(() => { alert('Welcome'); confirm('Sure?'); prompt('Your name?'); print(); }, 200);""")
    return _everywhere(extra)


def reloading() -> Shop:
    """Return a shop whose page reloads itself for ever."""
    return _everywhere(_scripted("setTimeout(() => location.reload(), 400)"))


def foreign_paths() -> Shop:
    """Return a shop with addresses in other scripts, doubled markup for phones, and a product that is sold out."""
    path = "/%D1%82%D0%BE%D0%B2%D0%B0%D1%80/%D0%B7%D0%B5%D0%BB%D0%B5%D0%BD%D1%8B%D0%B9-%D1%87%D0%B0%D0%B9"
    card = '<div class="{kind}"><a href="/товар/зеленый-чай"><img src="/tea.png">Чай</a> <span>1 290 ₽</span></div>'
    cards = card.format(kind="product-card mobile-only") + card.format(kind="product-card desktop-only")
    style = (
        "<style>.mobile-only { display: none } @media (max-width: 600px) { .mobile-only { display: block } }</style>"
    )
    body = f"{style}<h1>Чайный дом</h1><p>{'Мы смешиваем чай вручную. ' * 8}</p>{cards}"
    sold_out = f"""<h1>Зеленый чай</h1><img src="/tea.png" width="300" height="300"><p class="price">1 290 ₽</p>
<button disabled>Нет в наличии</button><p>{"Зеленый чай из Китая. " * 10}</p>
<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Product", "name": "Зеленый чай",
"offers": {{"@type": "Offer", "price": "1290", "priceCurrency": "RUB", "availability": "http://schema.org/OutOfStock"}}}}
</script>"""
    shop = clean() | {"/": Answer(document(ENGLISH, "Чайный дом", body))}
    return shop | {path: Answer(document(ENGLISH, "Зеленый чай", sold_out))}


def endless_grid() -> Shop:
    """Return a shop whose grid grows for as long as one scrolls, and whose products are in a category."""
    grow = _scripted("""addEventListener('scroll', () => document.querySelector('main').insertAdjacentHTML('beforeend',
'<div style="height:900px"><a href="/stories/' + document.querySelectorAll('a').length + '">A story</a></div>'))""")
    body = f'<h1>Harbour Tea</h1><p>{FRENCH.about * 4}</p><a href="/collections/green">Green teas</a>'
    body += '<div style="height:2000px"></div>'
    shop = clean() | {"/": Answer(document(ENGLISH, "Harbour Tea", body + grow))}
    return shop | {"/collections/green": Answer(home(ENGLISH, "/products/green-tea", "/products/black-tea"))}


def moved_home() -> Shop:
    """Return a shop that redirects its home page through several steps."""
    shop = clean()
    home_page = shop["/"]
    return shop | {"/": redirect("/de", 301), "/de": redirect("/de/", 308), "/de/": home_page}
