// The replay worker. wabac.js finds and rewrites captures; this file decides what browsers let them do.
// Archived scripts share the origin with the worker's storage, so none of it is left to wabac.js's configuration.
"use strict";
{
  const origin = self.location.origin;
  const commands = ["/replay/"];

  // An archived page's messages could make the worker replay something else as this archive.
  self.addEventListener("message", (event) => {
    const sender = event.source && new URL(event.source.url);
    if (!sender || sender.origin !== origin || !commands.includes(sender.pathname)) event.stopImmediatePropagation();
  });

  const respondWith = FetchEvent.prototype.respondWith;
  FetchEvent.prototype.respondWith = function (response) {
    respondWith.call(this, answer(this.request, response));
  };

  async function answer(request, response) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/replay/w/") && !pathname.startsWith(replay.archivedPath)) {
      return confine(new Response("There is nothing here.", { status: 404 }));
    }
    const alone = request.mode === "navigate" && request.destination === "document";
    if (alone && pathname.startsWith(replay.archivedPath)) {
      // A page that has the window for itself could lead it to the live web: it is shown in the viewer.
      const address = request.url.slice(origin.length + replay.archivedPath.length).replace(/^(\d*)[a-z]{2}_/, "$1");
      return Response.redirect(`${replay.viewer}${address}`);
    }
    return confine(await response);
  }

  function confine(response) {
    if (response.type === "error") return response;
    if (response.type.startsWith("opaque")) return Response.error();
    const location = response.headers.get("location");
    if (location && new URL(location, origin).origin !== origin) return Response.error();
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(replay.headers)) headers.set(name, value);
    const { status, statusText } = response;
    const body = [101, 204, 205, 304].includes(status) ? null : response.body;
    return new Response(body, { status, statusText, headers });
  }
}
importScripts(replay.wabac);
