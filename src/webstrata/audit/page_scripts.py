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
([isOverlayFrame, pass]) => {
  const consent = /cookie|consent|gdpr|onetrust|didomi|usercentrics|cmp(-|_|box)|privacy-?(banner|popup|notice)/i;
  const found = [];
  const isVisible = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && !element.closest('[inert]')
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  // Carts, menus and searches that are closed wait beside the window; the end of a long dialog is below it.
  const isReached = (element, overlay) => {
    const box = element.getBoundingClientRect();
    const isBelow = box.top >= innerHeight && overlay.getBoundingClientRect().top >= innerHeight;
    return box.right > 0 && box.left < innerWidth && box.bottom > 0 && !isBelow;
  };
  const isLayer = (at) => {
    const role = at.getAttribute('role');
    return at.tagName === 'DIALOG' || role === 'dialog' || role === 'alertdialog'
      || at.getAttribute('aria-modal') === 'true' || consent.test(`${at.id} ${at.getAttribute('class')}`)
      || ['fixed', 'sticky'].includes(getComputedStyle(at).position);
  };
  const overlayOf = (element) => {
    for (let at = element; at; at = at.parentElement || (at.getRootNode() && at.getRootNode().host)) {
      if (at === document.body || at === document.documentElement) break;
      if (isLayer(at)) return at;
    }
    return isOverlayFrame ? document.body : null;
  };
  const actionOf = (element) => {
    const named = ['onclick', 'formaction', 'data-href', 'data-url', 'data-link', 'data-action'];
    const found = named.map((name) => element.getAttribute(name) || '');
    const form = element.form || element.closest('form');
    const isSent = form && (element.matches('button:not([type=button]):not([type=reset])')
      || element.matches('input[type=submit], input[type=image]'));
    if (isSent) found.push(form.getAttribute('action') || '');
    return found.join(' ').slice(0, 500);
  };
  const secrets = 'input[type=password], input[autocomplete^=cc-], input[name*=cardnumber i], input[name*=iban i]';
  const collect = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (found.length >= 300) return;
      if (element.shadowRoot) collect(element.shadowRoot);
      if (!element.matches('button, a, input, summary, [role=button], [role=link]') || !isVisible(element)) continue;
      if (element[Symbol.for('clicked')] === pass) continue;
      const overlay = overlayOf(element);
      if (overlay && !isReached(element, overlay)) continue;
      const text = (element.innerText || '').trim();
      const label = text || element.getAttribute('aria-label') || element.title || element.value || '';
      found.push([element, {
        label: String(label).slice(0, 300),
        tag: element.tagName.toLowerCase(),
        role: element.getAttribute('role') || '',
        href: element.getAttribute('href') || '',
        input_type: element.getAttribute('type') || '',
        place: overlay ? 'overlay' : 'page',
        action: actionOf(element),
        context: overlay ? (overlay.innerText || '').slice(0, 600) : '',
        is_among_secrets: Boolean(element.form && element.form.querySelector(secrets)),
      }]);
    }
  };
  collect(document);
  return { elements: found.map(([element]) => element), controls: found.map(([, control]) => control) };
}
"""
"""Returns the visible controls of a document that were not clicked in this pass, including those in open shadow trees,
with their properties."""

IS_OVERLAY_FRAME = r"""
(frame) => {
  const consent = /cookie|consent|gdpr|onetrust|didomi|usercentrics|cmp(-|_|box)|privacy-?(banner|popup|notice)/i;
  const names = ['id', 'class', 'name', 'title', 'src'];
  if (consent.test(names.map((name) => frame.getAttribute(name)).join(' '))) return true;
  for (let at = frame; at; at = at.parentElement || at.getRootNode().host) {
    const role = at.getAttribute('role');
    if (['fixed', 'sticky'].includes(getComputedStyle(at).position) || at.tagName === 'DIALOG') return true;
    if (role === 'dialog' || role === 'alertdialog' || at.getAttribute('aria-modal') === 'true') return true;
    if (at !== document.body && at !== document.documentElement
      && consent.test(`${at.id} ${at.getAttribute('class')}`)) return true;
  }
  return false;
}
"""
"""Returns whether a frame is a popup, such as that of a consent service; videos, payments and reviews are parts of a
page."""

MARK_CLICKED = "(element, pass) => { element[Symbol.for('clicked')] = pass; }"
"""Marks a control so that it is not clicked again in a pass; the mark is not in the markup."""

HIDE_OVERLAYS = """
(share) => {
  const width = window.innerWidth, height = window.innerHeight, hidden = [];
  const points = [[.5, .5], [.25, .25], [.75, .25], [.25, .75], [.75, .75]].map(([x, y]) => [x * width, y * height]);
  const all = (document.body ? document.body.innerText : '').length;
  const deepest = (x, y) => {
    let at = document.elementFromPoint(x, y);
    while (at && at.shadowRoot) {
      const inner = at.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === at) break;
      at = inner;
    }
    return at;
  };
  const upwards = (at) => at.parentElement || at.getRootNode().host;
  // Nothing is known of a closed shadow tree but that its host shows something where the host itself is not.
  const isClosed = (at, x, y) => {
    if (at.shadowRoot || at.firstElementChild || !at.tagName.includes('-')) return false;
    const box = at.getBoundingClientRect();
    return x < box.left || x > box.right || y < box.top || y > box.bottom;
  };
  for (let round = 0; round < 5; round += 1) {
    const layers = new Map(), closed = new Set();
    for (const [x, y] of points) {
      for (let at = deepest(x, y); at && at !== document.body; at = upwards(at)) {
        if (isClosed(at, x, y)) closed.add(at);
        if (closed.has(at) || getComputedStyle(at).position === 'fixed') layers.set(at, (layers.get(at) || 0) + 1);
      }
    }
    const blocking = [...layers].filter(([layer, hits]) => {
      if (closed.has(layer)) return hits >= 3;
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

PAGE_SIZE = """
() => {
  const root = document.documentElement, body = document.body || root;
  return [Math.max(root.scrollWidth, body.scrollWidth), Math.max(root.scrollHeight, body.scrollHeight)];
}
"""
"""Returns width and height of a page in CSS pixels."""

CLICK_TARGETS = r"""
() => {
  const found = new Set();
  const add = (address) => {
    if (typeof address !== 'string' || !address.trim() || found.size >= 200) return;
    try {
      const url = new URL(address.trim(), document.baseURI);
      if (/^https?:$/.test(url.protocol)) found.add(url.href);
    } catch {}
  };
  const names = ['data-href', 'data-url', 'data-link', 'data-product-url', 'data-product-link', 'data-target-url'];
  const moves = /(?:location(?:\.href)?\s*=\s*|location\.(?:assign|replace)\(\s*|window\.open\(\s*)(['"`])([^'"`]+)\1/;
  for (const card of document.querySelectorAll(`[onclick], ${names.map((name) => `[${name}]`)}`)) {
    if (card.matches('button, input, nav *, header *, footer *, dialog *, [role=dialog] *')) continue;
    const script = moves.exec(card.getAttribute('onclick') || '');
    add(script ? script[2] : names.map((name) => card.getAttribute(name)).find(Boolean));
  }
  const walk = (value, depth) => {
    if (!value || typeof value !== 'object' || depth > 6) return;
    if (Array.isArray(value)) { value.slice(0, 200).forEach((one) => walk(one, depth + 1)); return; }
    if ([value['@type']].flat().some((type) => /^(https?:\/\/schema\.org\/)?ItemList$/.test(type))) {
      for (const one of [value.itemListElement].flat().slice(0, 200)) {
        if (!one) continue;
        const item = one.item;
        const inner = typeof item === 'object' && item ? item.url || item['@id'] : item;
        add(typeof one === 'string' ? one : inner || one.url);
      }
    }
    Object.values(value).forEach((one) => walk(one, depth + 1));
  };
  for (const script of [...document.querySelectorAll('script[type="application/ld+json" i]')].slice(0, 20)) {
    try { walk(JSON.parse(script.textContent.slice(0, 1e6)), 0); } catch {}
  }
  return [...found];
}
"""
"""Returns the addresses that product cards without links lead to, as far as markup and structured data name them."""

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
