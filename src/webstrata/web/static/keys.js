// Keys: `/` focuses the search box, `?` lists all keys, a link with data-keys="g h" is followed by its keys,
// `j` and `k` go through the titles of a list that is walked, and so do the arrows once one of them has the focus;
// `n` and `p` go through the changes of a comparison.
"use strict";
(() => {
  const CHORD_MILLISECONDS = 1200;
  const SWITCH = "webstrata.keys";
  const dialog = document.getElementById("keys");
  const checkbox = document.getElementById("keys-on");
  const LETTERS = { j: 1, k: -1 };
  const CHANGES = { n: 1, p: -1 };
  const ARROWS = { ArrowDown: 1, ArrowUp: -1 };
  let pressed = "";
  let pressedAt = 0;

  const areOn = () => remembered()?.getItem(SWITCH) !== "off";
  const typing = (target) => target.closest("input, textarea, select, dialog, [contenteditable]") !== null;
  const links = () => Array.from(document.querySelectorAll("a[data-keys]"));

  function remembered() {
    try {
      return window.localStorage;
    } catch {
      return null;
    }
  }

  function openList() {
    if (!dialog.open) dialog.showModal();
  }

  function follow(keys) {
    const link = links().find((candidate) => candidate.dataset.keys === keys);
    if (link) link.click();
    return link !== undefined;
  }

  function step(by) {
    const titles = Array.from(document.querySelectorAll("[data-walked] .capture-title a"));
    const at = titles.indexOf(document.activeElement);
    const next = at < 0 ? titles[0] : titles[at + by];
    next?.focus();
    next?.closest("li").scrollIntoView({ block: "nearest" });
    return next !== undefined;
  }

  function stepToChange(by) {
    const changes = Array.from(document.querySelectorAll(".hunk"));
    const at = changes.findIndex((change) => change.contains(document.activeElement));
    const next = at < 0 ? changes[by > 0 ? 0 : changes.length - 1] : changes[at + by];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "center" });
  }

  // Arrows scroll the page; only from a result, or down from the search box above them, do they lead to another.
  function onArrow(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
    const onTitle = event.target.matches("[data-walked] .capture-title a");
    const downFromBox = event.key === "ArrowDown" && event.target.matches("#q");
    if ((onTitle || downFromBox) && event.key in ARROWS && step(ARROWS[event.key])) event.preventDefault();
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
    if (!areOn() && event.key !== "?") return;
    const chord = event.timeStamp - pressedAt < CHORD_MILLISECONDS ? `${pressed} ${event.key}` : event.key;
    pressed = event.key;
    pressedAt = event.timeStamp;
    if (event.key === "/") {
      event.preventDefault();
      const box = document.getElementById("q");
      box.focus();
      box.select();
    } else if (event.key === "?") {
      openList();
    } else if (!follow(chord) && !follow(event.key)) {
      if (event.key in LETTERS) step(LETTERS[event.key]);
      if (event.key in CHANGES) stepToChange(CHANGES[event.key]);
    }
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("keydown", onArrow);
  checkbox.checked = areOn();
  checkbox.addEventListener("change", () => remembered()?.setItem(SWITCH, checkbox.checked ? "on" : "off"));
  for (const button of document.querySelectorAll("[data-opens=keys]")) {
    button.hidden = false;
    button.addEventListener("click", openList);
  }
})();
