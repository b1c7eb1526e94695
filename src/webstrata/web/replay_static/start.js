// Start the replay worker, name it the archive to read from, then show the capture that the address asks for.
"use strict";
(async () => {
  const asked = new URLSearchParams(location.search);
  const path = document.documentElement.dataset.archivedPath;
  const problem = (words) => {
    document.getElementById("status").textContent = `${words} Choose “Plain HTML” above to read the page without it.`;
  };

  function becomeActive(worker) {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (worker.state === "activated") resolve(worker);
        if (worker.state === "redundant") reject(new Error("the worker was replaced"));
      };
      worker.addEventListener("statechange", look);
      look();
    });
  }

  function addArchive(worker) {
    return new Promise((resolve) => {
      navigator.serviceWorker.addEventListener("message", ({ data }) => {
        if (data.msg_type === "collAdded" && data.name === "archive") resolve();
      });
      navigator.serviceWorker.startMessages();
      worker.postMessage({
        msg_type: "addColl",
        name: "archive",
        type: "live",
        file: { sourceUrl: "proxy:/web/" },
        // Added anew each time: an archived page could have written to where the worker stores it.
        skipExisting: false,
        extraConfig: { prefix: `${location.origin}/web/`, isLive: false, archiveMod: "id_" },
      });
    });
  }

  if (!("serviceWorker" in navigator)) {
    problem("Replay needs HTTPS, or a browser on the same machine as the server.");
    return;
  }
  try {
    const registration = await navigator.serviceWorker.register("/replay/worker.js", { scope: "/replay/" });
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    await addArchive(await becomeActive(worker));
    location.replace(`${path}${asked.get("timestamp")}mp_/${asked.get("url")}`);
  } catch (error) {
    problem(`The page could not be replayed (${error.message}).`);
  }
})();
