// Forms that are answered in place. What the server answers is the whole page, as for everybody, and
// its main part takes the place of the one that is there: so one place knows pages, and what is typed
// elsewhere, the focus and the place on the page stay. Whatever is not as expected throws, and the form
// is sent as browsers do; sending one twice does it once.

// What answers a form with a page of its own: done, changed elsewhere, refused, too often.
const ANSWERS = [200, 409, 422, 429];

// Says what came of a form to whoever listens. It is there before anything is said.
const said = document.createElement("p");
said.className = "vh";
said.setAttribute("role", "status");
document.body.append(said);

// A page that was put in place of another, by a form that asks once more, has a place in the history.
let isAsking = false;
addEventListener("popstate", () => {
  if (isAsking) location.reload();
});

export async function sendInPlace(form, button, enhance) {
  const fields = new URLSearchParams(new FormData(form, button));
  const answer = await fetch(form.action, { method: "POST", body: fields });
  if (!ANSWERS.includes(answer.status)) throw new Error(`answered by ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [main, other] = [document.getElementById("main"), page.getElementById("main")];
  if (!other) throw new Error("answered by no page");
  const touched = button ? placeOf(main, button) : null;
  const known = new Set([...main.querySelectorAll("[id^=c-]")].map((it) => it.id));
  keepTyped(main, other, form);
  keepAddress(answer);
  const [x, y] = [scrollX, scrollY];
  main.replaceChildren(...other.childNodes);
  document.title = page.title;
  replaceHead(page);
  scrollTo(x, y);
  enhance(main);
  tell(main, touched, form.action.endsWith("/comments") ? known : null);
}

// Where the focus goes and what is said: a summary of mistakes tells itself, a new comment is gone to,
// and otherwise whoever pressed a button finds it again.
function tell(main, touched, known) {
  if (main.querySelector("[role=alert][tabindex]")) return;
  const fresh = known && [...main.querySelectorAll("[id^=c-]")].find((it) => !known.has(it.id));
  const again = found(main, touched);
  const goal = fresh ?? (again && !again.disabled ? again : (main.querySelector("h1") ?? main));
  if (!goal.matches("a, button, input, textarea, select")) goal.tabIndex = -1;
  goal.focus({ preventScroll: goal === again });
  const note = main.querySelector(".note[role=status]") ?? goal;
  const text = note.getAttribute("aria-label") ?? note.innerText;
  // The same once more is said once more.
  said.textContent = "";
  setTimeout(() => (said.textContent = text), 50);
}

// A done form leads to an address that shows what was done; the readable one of the page stays.
function keepAddress(answer) {
  if (answer.redirected) {
    history.replaceState(null, "", location.pathname + new URL(answer.url).search);
    isAsking = false;
  } else if (answer.status === 200) {
    history.pushState(null, "", location.href);
    isAsking = true;
  }
}

// What is left to spend stands in the head.
function replaceHead(page) {
  const [old, other] = [document.querySelector(".head"), page.querySelector(".head")];
  if (old && other && old.innerHTML !== other.innerHTML) old.replaceChildren(...other.childNodes);
}

// What is typed into other forms stays, where it is still asked for.
function keepTyped(main, other, sent) {
  for (const field of main.querySelectorAll("textarea, input[type=text], input[type=number]")) {
    if (field.form === sent || field.value === field.defaultValue) continue;
    const again = found(other, placeOf(main, field));
    if (again) again.value = field.value;
  }
}

// Where something stands: where its form goes, its name, and which of that name it is.
function placeOf(main, it) {
  const action = it.form?.getAttribute("action");
  const at = named(main, action, it.name).indexOf(it);
  return at < 0 ? null : { action, name: it.name, at };
}

function found(main, place) {
  return place ? named(main, place.action, place.name)[place.at] : null;
}

function named(main, action, name) {
  const all = [...main.querySelectorAll("button, input:not([type=hidden]), textarea, select")];
  return all.filter((it) => it.name === name && it.form?.getAttribute("action") === action);
}
