// The table of one's own votes: prices and what is left follow what is typed. They are worked out by
// the server as the button "Work out price" does, so there is one place that knows prices.

const PAUSE_MILLIS = 350;

export function keepBudget(form) {
  let timer = 0;
  let asked = 0;
  const ask = async () => {
    const mine = ++asked;
    const fields = new URLSearchParams(new FormData(form));
    fields.set("do", "price");
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields });
      if (mine !== asked || !(answer.ok || answer.status === 422)) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine === asked) show(form, page);
    } catch {
      // Without an answer the button works as ever.
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MILLIS);
  });
  // Saving sends what is there; an answer that comes later changes nothing.
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    asked += 1;
  });
}

function show(form, page) {
  const edit = page.getElementById("edit");
  if (!edit) return;
  replace(document.getElementById("news"), page.getElementById("news"));
  for (const row of form.querySelectorAll("tr[id]")) {
    const other = page.getElementById(row.id);
    if (!other) continue;
    row.className = other.className;
    for (const [at, cell] of [...row.cells].entries()) {
      // The field itself is left alone, for somebody is typing in it.
      if (!cell.querySelector("input[type=number]")) replace(cell, other.cells[at]);
    }
  }
  replace(form.querySelector(".sum"), edit.querySelector(".sum"));
  replace(form.querySelector("[name=do][value=save].go"), edit.querySelector("[name=do][value=save].go"));
  for (const name of ["basis", "request", "price"]) keep(form, edit, name);
  for (const field of edit.querySelectorAll("input[type=hidden][name^=w_]")) keep(form, edit, field.name);
}

function replace(old, other) {
  if (old && other && old.innerHTML !== other.innerHTML) old.replaceChildren(...other.childNodes);
}

// What a form carries unseen is what the server says.
function keep(form, edit, name) {
  const wanted = edit.querySelector(`input[type=hidden][name="${name}"]`);
  const there = form.querySelector(`input[type=hidden][name="${name}"]`);
  if (wanted && there) there.value = wanted.value;
  else if (wanted) form.append(wanted);
  else if (there && name === "price") there.remove();
}
