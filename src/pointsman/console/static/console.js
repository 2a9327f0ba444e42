// What every page does beside showing itself: the menu on a phone, keys, and the token that goes with what htmx sends.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");

  const side = document.querySelector(".side");
  const menu = document.querySelector(".menu-button");
  menu?.addEventListener("click", () => {
    const open = side.toggleAttribute("data-open");
    menu.setAttribute("aria-expanded", String(open));
  });

  const token = document.querySelector("meta[name=csrf]")?.content;
  document.addEventListener("htmx:configRequest", (event) => {
    if (token) event.detail.headers["x-csrf"] = token;
  });
  // What went wrong is shown where the answer would have been.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (xhr.status >= 400 && (xhr.getResponseHeader("content-type") || "").startsWith("text/html")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  const keys = document.getElementById("keys");
  const rows = () => [...document.querySelectorAll("main [data-row]")].filter((row) => row.offsetParent !== null);
  const step = (by) => {
    const all = rows();
    if (!all.length) return;
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)].focus();
  };
  let going = false;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "Escape" && typing) typing.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (going) {
      going = false;
      const link = [...document.querySelectorAll(".menu a[data-key]")].find((each) => each.dataset.key === event.key);
      if (link) {
        event.preventDefault();
        link.click();
      }
      return;
    }
    switch (event.key) {
      case "g":
        going = true;
        setTimeout(() => (going = false), 1500);
        break;
      case "?":
        if (keys && !keys.open) keys.showModal();
        break;
      case "/": {
        const field = document.querySelector("main input:not([type=hidden]), main textarea, main select");
        if (field) {
          event.preventDefault();
          field.focus();
        }
        break;
      }
      case "j":
        step(1);
        break;
      case "k":
        step(-1);
        break;
      case "p":
        document.querySelector("[data-hold]")?.click();
        break;
      default:
    }
  });
})();
