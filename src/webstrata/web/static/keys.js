// Keys: `/` focuses the search box, `?` lists all keys, a link with data-keys="g h" is followed by its keys.
"use strict";
(() => {
  const CHORD_MILLISECONDS = 1200;
  const SWITCH = "webstrata.keys";
  const dialog = document.getElementById("keys");
  const checkbox = document.getElementById("keys-on");
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
    } else if (!follow(chord)) {
      follow(event.key);
    }
  }

  document.addEventListener("keydown", onKey);
  checkbox.checked = areOn();
  checkbox.addEventListener("change", () => remembered()?.setItem(SWITCH, checkbox.checked ? "on" : "off"));
  for (const button of document.querySelectorAll("[data-opens=keys]")) {
    button.hidden = false;
    button.addEventListener("click", openList);
  }
})();
