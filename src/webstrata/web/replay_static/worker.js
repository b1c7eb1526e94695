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
    return confine(await response, request.mode === "navigate");
  }

  // No policy keeps scripts from calling other machines with WebRTC: pages are shown without it.
  const guard = new TextEncoder().encode(
    "<script>for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCIceTransport']) " +
    "delete self[name]; document.currentScript.remove();</script>");
  const pageStart = /^(?:\xef\xbb\xbf|\s|<!--[^]*?-->)*(?:<!doctype[^>]*>)?/i;

  function withoutCalls(body) {
    let begun = false;
    return body.pipeThrough(new TransformStream({
      transform(chunk, controller) {
        const isFirst = !begun && chunk.length > 0;
        // After the doctype: before it, browsers would show the page in quirks mode. A character is a byte here.
        const text = isFirst ? new TextDecoder("latin1").decode(chunk.subarray(0, 4096)) : "";
        const at = isFirst ? pageStart.exec(text)[0].length : 0;
        if (isFirst) {
          begun = true;
          controller.enqueue(chunk.subarray(0, at));
          controller.enqueue(guard);
        }
        controller.enqueue(chunk.subarray(at));
      },
    }));
  }

  function isPage(headers) {
    return (headers.get("content-type") ?? "text/html").toLowerCase().startsWith("text/html");
  }

  function confine(response, isShown = false) {
    if (response.type === "error") return response;
    if (response.type.startsWith("opaque")) return Response.error();
    const location = response.headers.get("location");
    if (location && new URL(location, origin).origin !== origin) return Response.error();
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(replay.headers)) headers.set(name, value);
    const { status, statusText } = response;
    const given = [101, 204, 205, 304].includes(status) ? null : response.body;
    const body = given && isShown && isPage(headers) ? withoutCalls(given) : given;
    if (body !== given) headers.delete("content-length");
    return new Response(body, { status, statusText, headers });
  }
}
importScripts(replay.wabac);
