"""A site whose pages are empty until their scripts run: content, links and images are built in the browser."""

import json

from tests.support.web_server import Answer, Script

SHELL = b"""<!doctype html><html lang=en><head><title>Loading</title><link rel=stylesheet href=/style.css>
<script defer src=/app.js></script></head><body><div id=app></div></body></html>"""

APP = b"""
fetch('/api' + location.pathname).then((reply) => reply.json()).then((page) => {
  document.title = page.title;
  const app = document.getElementById('app');
  app.innerHTML = `<h1>${page.title}</h1><p>${page.text}</p><div style="height:4000px"></div>`;
  for (const link of page.links) app.innerHTML += `<a href="${link}">${link}</a> `;
  app.innerHTML += `<img loading=lazy width=10 height=10 src="${page.image}">`;
});
"""

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fccf"
    "c0f01f0005050102cf64e2b50000000049454e44ae426082"
)


def scripted_site(pages: int) -> dict[str, Script]:
    """Return a site of one shell for all pages, the data that its script loads, and an image of each page."""
    script, style, image, data = "text/javascript", "text/css", "image/png", "application/json"
    site: dict[str, Script] = {
        "/app.js": Answer(APP, headers=(("Content-Type", script),)),
        "/style.css": Answer(b"body { background: url(/back.png) }", headers=(("Content-Type", style),)),
        "/back.png": Answer(PNG + b"back", headers=(("Content-Type", image),)),
        "/favicon.ico": Answer(b"", status=204),
    }
    paths = ["/", *(f"/page/{n}" for n in range(pages))]
    for n, path in enumerate(paths):
        text = f"The marmalade of number {n} is made of oranges and sugar, and boiled for two hours. " * 6
        shown = {"title": f"Page {n}", "text": text, "links": paths, "image": f"/image/{n}.png"}
        site[path] = Answer(SHELL)
        site[f"/api{path}"] = Answer(json.dumps(shown).encode(), headers=(("Content-Type", data),))
        site[f"/image/{n}.png"] = Answer(PNG + str(n).encode(), headers=(("Content-Type", image),))
    return site
