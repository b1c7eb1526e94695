// A job's page, kept up to date by the server's events. It only sets text; when the job's state changes, so does the
// shape of the page, and it is loaded anew.
"use strict";
(() => {
  const SAY_EVERY_MILLISECONDS = 30_000;
  const RELOAD_AFTER_MILLISECONDS = 10_000;
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
})();
