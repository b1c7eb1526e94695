// What a page does better with JavaScript and well enough without.
"use strict";
(() => {
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

  function sayLocalTime(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      time.title = `${local.format(new Date(time.dateTime))} (your time)`;
    }
  }

  function leaveOutEmptyFields(form) {
    form.addEventListener("formdata", ({ formData }) => {
      for (const [name, value] of Array.from(formData)) {
        if (value === "") formData.delete(name);
      }
    });
  }

  function copyOnClick(button) {
    const field = document.getElementById(button.dataset.copies);
    const status = button.parentElement.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        status.textContent = "Copied.";
      } catch {
        status.textContent = "Selected: copy it with your keyboard.";
      }
    });
  }

  function centreCurrent(strip) {
    const current = strip.querySelector("[aria-current]");
    if (!current || strip.scrollWidth <= strip.clientWidth) return;
    const place = current.getBoundingClientRect().left - strip.getBoundingClientRect().left;
    strip.scrollLeft += place - strip.clientWidth / 2;
  }

  function showTheEnd(log) {
    log.scrollTop = log.scrollHeight;
  }

  sayLocalTime(document);
  document.querySelectorAll("form[data-tidy]").forEach(leaveOutEmptyFields);
  document.querySelectorAll("[data-copies]").forEach(copyOnClick);
  document.querySelectorAll("[data-centres]").forEach(centreCurrent);
  document.querySelectorAll(".log").forEach(showTheEnd);
  document.addEventListener("htmx:afterSwap", () => sayLocalTime(document));
})();
