"""Scripts that run in an audited page: readiness, scrolling, popups, overlays and visible text."""

DOM_QUIET = """
([quiet, longest]) => new Promise((resolve) => {
  let timer;
  const end = (isQuiet) => { observer.disconnect(); clearTimeout(timer); clearTimeout(limit); resolve(isQuiet); };
  const restart = () => { clearTimeout(timer); timer = setTimeout(() => end(true), quiet * 1000); };
  const observer = new MutationObserver(restart);
  const limit = setTimeout(() => end(false), longest * 1000);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  restart();
})
"""
"""Resolves to true once the document did not change for some seconds, to false when that takes too long."""

SCROLL = """
async ([share, wait, most]) => {
  let steps = 0;
  while (steps < most) {
    const before = window.scrollY;
    window.scrollBy({ top: window.innerHeight * share, behavior: 'instant' });
    steps += 1;
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    if (window.scrollY <= before) break;
  }
  window.scrollTo({ top: 0, behavior: 'instant' });
  return steps;
}
"""
"""Scrolls down step by step and back to the top, and returns the number of steps."""

CONTROLS = r"""
(isOverlayFrame) => {
  const consent = /cookie|consent|gdpr|onetrust|didomi|usercentrics|cmp(-|_|box)|privacy-?(banner|popup|notice)/i;
  const found = [];
  const isVisible = (element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && style.opacity !== '0';
  };
  const isOverlay = (element) => {
    for (let at = element; at; at = at.parentElement || (at.getRootNode() && at.getRootNode().host)) {
      if (at === document.body || at === document.documentElement) return false;
      const role = at.getAttribute('role');
      if (at.tagName === 'DIALOG' || role === 'dialog' || role === 'alertdialog') return true;
      if (at.getAttribute('aria-modal') === 'true' || consent.test(`${at.id} ${at.getAttribute('class')}`)) return true;
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return true;
    }
    return false;
  };
  const collect = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (found.length >= 300) return;
      if (element.shadowRoot) collect(element.shadowRoot);
      if (!element.matches('button, a, input, summary, [role=button], [role=link]') || !isVisible(element)) continue;
      const text = (element.innerText || '').trim();
      const label = text || element.getAttribute('aria-label') || element.title || element.value || '';
      found.push([element, {
        label: String(label).slice(0, 300),
        tag: element.tagName.toLowerCase(),
        role: element.getAttribute('role') || '',
        href: element.getAttribute('href') || '',
        input_type: element.getAttribute('type') || '',
        place: isOverlayFrame || isOverlay(element) ? 'overlay' : 'page',
      }]);
    }
  };
  collect(document);
  return { elements: found.map(([element]) => element), controls: found.map(([, control]) => control) };
}
"""
"""Returns the visible controls of a document, those in open shadow trees too, with what is known of each."""

HIDE_OVERLAYS = """
(share) => {
  const width = window.innerWidth, height = window.innerHeight, hidden = [];
  const points = [[.5, .5], [.25, .25], [.75, .25], [.25, .75], [.75, .75]].map(([x, y]) => [x * width, y * height]);
  const all = (document.body ? document.body.innerText : '').length;
  for (let round = 0; round < 5; round += 1) {
    const layers = new Map();
    for (const [x, y] of points) {
      for (let at = document.elementFromPoint(x, y); at && at !== document.body; at = at.parentElement) {
        if (getComputedStyle(at).position === 'fixed') layers.set(at, (layers.get(at) || 0) + 1);
      }
    }
    const blocking = [...layers].filter(([layer, hits]) => {
      const box = layer.getBoundingClientRect();
      const across = Math.max(0, Math.min(box.right, width) - Math.max(box.left, 0));
      const down = Math.max(0, Math.min(box.bottom, height) - Math.max(box.top, 0));
      // A page may be built inside one fixed layer: without its text nothing would be left.
      const isPage = layer.innerText.length > 200 && layer.innerText.length > all * .6;
      return hits >= 3 && across * down >= share * width * height && !isPage;
    });
    if (!blocking.length) break;
    for (const [layer] of blocking) {
      layer.style.setProperty('display', 'none', 'important');
      hidden.push(`${layer.tagName.toLowerCase()}${layer.id ? '#' + layer.id : ''}`.slice(0, 80));
    }
  }
  if (hidden.length) {
    for (const element of [document.documentElement, document.body]) {
      element.style.setProperty('overflow', 'auto', 'important');
      if (getComputedStyle(element).position === 'fixed') element.style.setProperty('position', 'static', 'important');
    }
  }
  return hidden;
}
"""
"""Hides fixed layers that cover the page and a share of the viewport, and returns their names."""

VISIBLE_TEXT = "() => document.body ? document.body.innerText : ''"

TIMINGS = """
() => {
  const entry = performance.getEntriesByType('navigation')[0];
  if (!entry) return {};
  const round = (value) => Math.round(value);
  return {
    response_start_ms: round(entry.responseStart),
    dom_content_loaded_ms: round(entry.domContentLoadedEventEnd),
    load_ms: round(entry.loadEventEnd),
    transfer_bytes: entry.transferSize,
  };
}
"""
