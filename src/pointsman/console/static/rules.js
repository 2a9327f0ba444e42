// What the editor of rules does beside htmx: goes to a line, copies a difference, and tells when a draft has been kept.
"use strict";
(() => {
  const text = document.getElementById("rule-text");
  if (!text) return;
  const address = new URL(location.href);
  const draft = document.querySelector("#edit [name=draft]").value;
  // After a failed publish the address is the form's: a page that is loaded again is to have the draft.
  if (address.searchParams.get("draft") !== draft) {
    const path = address.pathname.replace(/\/publish$/, address.pathname.startsWith("/ui/rules/new/") ? "" : "/edit");
    history.replaceState(null, "", `${path}?draft=${draft}`);
  }
  document.addEventListener("click", (event) => {
    const to = event.target.closest("[data-line]");
    if (to) {
      const lines = text.value.split("\n");
      const at = lines.slice(0, Number(to.dataset.line) - 1).join("\n").length + (to.dataset.line > 1 ? 1 : 0);
      text.focus();
      text.setSelectionRange(at, at + (lines[Number(to.dataset.line) - 1] || "").length);
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const from = document.querySelector(copy.dataset.copy);
      if (from) navigator.clipboard?.writeText(from.textContent);
    }
    const merge = event.target.closest("[data-merge]");
    if (merge) {
      document.getElementById("base").value = document.getElementById(merge.dataset.merge).textContent;
      merge.closest("section").remove();
      text.focus();
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  const kept = document.getElementById("kept");
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && event.detail.elt.id === "checked") kept.textContent = new Date().toTimeString().slice(0, 8);
  });
})();
