// Copies what a button names, and says so on it.
"use strict";
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard?.writeText(document.querySelector(button.dataset.copy).textContent);
  button.textContent = button.dataset.done;
});
