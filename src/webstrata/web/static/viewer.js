// The viewer: where the reader of a replayed page has gone.
"use strict";
(() => {
  // A replayed page reports where its reader goes; it is a stranger's page, so what it reports is shown as text only.
  function followFrame(note) {
    const first = note.textContent;
    let start = null;
    window.addEventListener("message", ({ origin, data }) => {
      if (origin !== note.dataset.follows || !data || data.wb_type !== "load") return;
      const url = String(data.url).slice(0, 2000);
      const timestamp = String(data.request_ts).slice(0, 14);
      start ??= url;
      if (url === start) { note.textContent = first; return; }
      const link = document.createElement("a");
      link.href = `/snapshot/closest?${new URLSearchParams({ url, timestamp })}`;
      link.textContent = "Snapshot of this page, or its address on the live web";
      note.replaceChildren(`Now shown: ${url.slice(0, 200)} `, link);
    });
  }

  document.querySelectorAll("[data-follows]").forEach(followFrame);
})();
