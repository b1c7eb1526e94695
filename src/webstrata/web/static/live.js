// A job's page, kept up to date by the server's events. They only set text; when the job's state changes, so does the
// shape of the page, and it is loaded anew. Its log and its plot are taken from the page itself, now and then.
"use strict";
(() => {
  const SAY_EVERY_MILLISECONDS = 30_000;
  const RELOAD_AFTER_MILLISECONDS = 10_000;
  const RENEW_EVERY_MILLISECONDS = 5_000;
  const progress = document.querySelector("[data-events]");
  const bar = progress.querySelector("progress");
  const status = progress.querySelector("[data-said]");
  let source = null;
  let saidAt = Date.now();

  function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function showRows(section, rows) {
    const body = section.querySelector("tbody");
    const blank = section.querySelector("template").content.firstElementChild;
    while (body.children.length > rows.length) body.lastElementChild.remove();
    while (body.children.length < rows.length) body.append(blank.cloneNode(true));
    rows.forEach((row, at) => row.forEach((text, column) => setText(body.children[at].children[column], text)));
    section.hidden = rows.length === 0;
  }

  function say(sentence) {
    // Whoever listens to the page wants to hear now and then how far it is, not every second.
    if (Date.now() - saidAt < SAY_EVERY_MILLISECONDS) return;
    saidAt = Date.now();
    setText(status, sentence);
  }

  function show(news) {
    if (news.state !== progress.dataset.state) {
      reload();
      return;
    }
    for (const figure of progress.querySelectorAll("[data-figure]")) {
      setText(figure, news.figures[figure.dataset.figure]);
    }
    setText(progress.querySelector("[data-of]"), news.of);
    bar.max = news.known || 1;
    bar.value = news.done;
    for (const section of document.querySelectorAll("[data-table]")) showRows(section, news[section.dataset.table]);
    say(news.said);
  }

  async function renew() {
    if (document.hidden) return;
    const answer = await fetch(window.location.href).catch(() => null);
    // Whether the server is away is the events' affair.
    if (!answer?.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-renewed]")) {
      const newer = fresh.querySelector(`[data-renewed="${part.dataset.renewed}"]`);
      if (newer && newer.innerHTML !== part.innerHTML) renewPart(part, newer);
    }
  }

  function renewPart(part, newer) {
    const isOpen = part.querySelector("details")?.open ?? false;
    const log = part.querySelector(".log");
    const [top, follows] = log ? [log.scrollTop, log.scrollTop + log.clientHeight >= log.scrollHeight - 8] : [0, true];
    const hadFocus = document.activeElement === log;
    part.replaceChildren(...newer.childNodes);
    const [details, newLog] = [part.querySelector("details"), part.querySelector(".log")];
    if (details) details.open = isOpen;
    if (newLog) newLog.scrollTop = follows ? newLog.scrollHeight : top;
    if (hadFocus) newLog?.focus();
  }

  function reload() {
    close();
    window.location.reload();
  }

  function close() {
    source?.close();
    source = null;
  }

  function open() {
    close();
    source = new EventSource(progress.dataset.events);
    source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
    source.addEventListener("end", reload);
    source.addEventListener("error", ({ target }) => {
      // The browser tries again by itself unless it was refused.
      if (target.readyState === EventSource.CLOSED) window.setTimeout(reload, RELOAD_AFTER_MILLISECONDS);
    });
  }

  // A browser opens few connections to one site: a page that nobody looks at gives its own back.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  if (!document.hidden) open();
  window.setInterval(renew, RENEW_EVERY_MILLISECONDS);
})();
