// What scripts add to pages that work without them.

// A summary of mistakes takes the focus, so that whoever listens hears it first.
document.querySelector("[role=alert][tabindex]")?.focus();

// The rest is asked for only by pages that have something for it.
if (document.querySelector(".step")) {
  import("./steppers.js").then((it) => it.enhanceSteppers(document));
}
if (document.querySelector("[data-total]")) {
  import("./live.js").then((it) => it.followTotals(document));
}

// Only the table of one's own votes has a budget to keep.
const edit = document.getElementById("edit");
if (edit) import("./budget.js").then(({ keepBudget }) => keepBudget(edit));

// A form is sent once: a second click while the first is under way does nothing.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  setTimeout(() => delete form.dataset.sent, 5000);
});
