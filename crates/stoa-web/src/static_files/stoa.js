// What scripts add to pages that work without them. Totals that change while a page is looked at are
// here, for nearly every page has some; the rest is asked for only where something needs it.

// Whatever a part of a page has that scripts have something for.
function enhance(root) {
  // A summary of mistakes takes the focus, so that whoever listens hears it first.
  root.querySelector("[role=alert][tabindex]")?.focus();
  if (root.querySelector(".step")) {
    import("./steppers.js").then((it) => it.enhanceSteppers(root));
  }
  // Only the table of one's own votes has a budget to keep.
  const edit = root.querySelector("#edit");
  if (edit) import("./budget.js").then(({ keepBudget }) => keepBudget(edit));
  showTotals(root);
}

// Totals change in place. Without this they are those of when the page was made.
const totals = {};

function showTotals(root) {
  const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined);
  for (const place of root.querySelectorAll("[data-total]")) {
    const total = totals[place.dataset.total];
    if (total === undefined) continue;
    // What was gained in some days is the total but for what was there before, and has a sign.
    const value = total - Number(place.dataset.less ?? 0);
    const sign = place.dataset.less !== undefined && value > 0 ? "+" : "";
    const text = sign + numbers.format(value).replace("-", "−");
    if (place.textContent !== text) place.textContent = text;
  }
}

enhance(document);
followTotals();

// Forms on the page of a policy, on that of its tags and on that of one's own votes lead back to it, so
// that they are answered in place. All others lead elsewhere.
function leadsBack(form) {
  const here = location.pathname;
  const to = new URL(form.action).pathname;
  if (to === "/votes/undo") return here === "/votes";
  if (/^\/policies\/[^/]+\/-\/tags$/.test(to)) return here === to;
  const of = /^(\/policies\/[^/]+\/)-\/(votes|watch|comments|comments\/[^/]+\/mark)$/.exec(to);
  return of !== null && here.startsWith(of[1]) && !here.startsWith(`${of[1]}-/`);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  // A form is sent once: a second click while the first is under way does nothing.
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  setTimeout(() => delete form.dataset.sent, 5000);
  const button = event.submitter;
  if (event.defaultPrevented || !leadsBack(form)) return;
  event.preventDefault();
  const plainly = () => {
    // What the button says goes along only where the browser sends the form by itself.
    if (button?.name) {
      const field = document.createElement("input");
      [field.type, field.name, field.value] = ["hidden", button.name, button.value];
      form.append(field);
    }
    form.submit();
  };
  import("./inplace.js").then((it) => it.sendInPlace(form, button, enhance)).catch(plainly);
});

function followTotals() {
  const [LEAST_WAIT, MOST_WAIT] = [3000, 300000];
  const places = [...document.querySelectorAll("[data-total]")];
  const followed = new Set(places.map((it) => it.dataset.total));
  if (followed.size === 0 || !("EventSource" in window)) return;
  const address = `/live/totals?of=${[...followed].slice(0, 100).join(",")}`;
  let source = null;
  let wait = LEAST_WAIT;
  let timer = 0;

  function open() {
    if (source !== null || document.hidden) return;
    source = new EventSource(address);
    source.addEventListener("open", () => (wait = LEAST_WAIT));
    source.addEventListener("totals", (event) => {
      Object.assign(totals, JSON.parse(event.data));
      showTotals(document);
    });
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
