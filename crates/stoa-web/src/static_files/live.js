// Totals change in place while a page is looked at. Without this they are those of when it was made.

const LEAST_WAIT = 3000;
const MOST_WAIT = 300000;

export function followTotals(root) {
  const places = new Map();
  for (const place of root.querySelectorAll("[data-total]")) {
    const of = place.dataset.total;
    places.set(of, [...(places.get(of) ?? []), place]);
  }
  if (places.size === 0 || !("EventSource" in window)) return;
  const address = `/live/totals?of=${[...places.keys()].slice(0, 100).join(",")}`;
  const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined);
  let source = null;
  let wait = LEAST_WAIT;
  let timer = 0;

  function show(event) {
    for (const [of, total] of Object.entries(JSON.parse(event.data))) {
      const text = numbers.format(total).replace("-", "−");
      for (const place of places.get(of) ?? []) {
        if (place.textContent !== text) place.textContent = text;
      }
    }
  }

  function open() {
    if (source !== null || document.hidden) return;
    source = new EventSource(address);
    source.addEventListener("open", () => (wait = LEAST_WAIT));
    source.addEventListener("totals", show);
    source.addEventListener("error", () => {
      close();
      // Not all at once, where an instance was started anew.
      timer = setTimeout(open, wait * (1 + Math.random()));
      wait = Math.min(MOST_WAIT, wait * 2);
    });
  }

  function close() {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  // A page that nobody looks at keeps no connection: browsers have only a few for each site.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
