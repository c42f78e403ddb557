// Number fields with two buttons: the buttons change the number in place, not by asking the server.

export function enhanceSteppers(root) {
  for (const step of root.querySelectorAll(".step")) {
    const field = step.querySelector("input");
    for (const button of step.querySelectorAll("button[data-by]")) {
      button.addEventListener("click", (event) => {
        event.preventDefault();
        const least = Number(field.min || 0);
        const most = field.max === "" ? Infinity : Number(field.max);
        const wanted = Number(field.value || 0) + Number(button.dataset.by);
        field.value = Math.min(most, Math.max(least, wanted));
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
  }
}
