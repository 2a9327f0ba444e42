// Keeps a page up to date from one stream of events. `data-live` on an element names the stream; its figures replace what is in
// that element, requests go into the list #lane, of which no more than 60 are kept. Nothing is read while nobody looks.
"use strict";
(() => {
  const MOST = 60;
  const place = document.querySelector("[data-live]");
  if (!place) return;
  const lane = document.getElementById("lane");
  const state = document.getElementById("lane-state");
  const hold = document.querySelector("[data-hold]");
  const news = document.getElementById("news");
  let source = null;
  let held = false;
  let come = 0;

  const tell = (what) => {
    if (state && state.textContent !== state.dataset[what]) state.textContent = state.dataset[what];
  };
  const took = (ms) => (ms === null ? "" : ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
  const clock = (at) => new Date(at).toTimeString().slice(0, 8);

  const row = ([id, at, kind, endpoint, model, by, why, outcome, ms]) => {
    const item = document.getElementById(`lane-${kind}`).content.cloneNode(true);
    const link = item.querySelector("a");
    link.href = `/ui/requests/${encodeURIComponent(id)}`;
    item.querySelector("time").textContent = clock(at);
    item.querySelector(".lane-by").textContent = by || model || endpoint;
    item.querySelector(".lane-why").textContent = why;
    const time = item.querySelector(".lane-took");
    time.textContent = outcome === "ok" || outcome === "refused" ? took(ms) : outcome;
    time.classList.toggle("failed", outcome === "failed");
    return item;
  };

  const show = (batch) => {
    const [seen, more] = batch;
    if (news) {
      come += seen.length + more;
      news.hidden = false;
      news.firstElementChild.textContent = news.dataset.text.replace("%", String(come));
    }
    if (!lane || held) return;
    document.getElementById("lane-empty")?.remove();
    const fresh = document.createDocumentFragment();
    for (const each of seen) fresh.append(row(each));
    if (more > 0) {
      const rest = document.getElementById("lane-more").content.firstElementChild.cloneNode(true);
      rest.textContent = rest.dataset.more.replace("%", String(more));
      fresh.append(rest);
    }
    lane.prepend(fresh);
    while (lane.children.length > MOST) lane.lastElementChild.remove();
  };

  const open = () => {
    if (source) return;
    source = new EventSource(place.dataset.live);
    source.onopen = () => tell(held ? "held" : "connected");
    source.onerror = () => {
      tell("lost");
      if (source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
      source = null;
      setTimeout(() => !document.hidden && open(), 5000);
    };
    source.addEventListener("figures", (event) => {
      // Who reads or clicks there keeps what they have.
      if (!lane || held || place.contains(document.activeElement)) return;
      place.innerHTML = event.data;
      document.dispatchEvent(new Event("figures"));
    });
    source.addEventListener("seen", (event) => requestAnimationFrame(() => show(JSON.parse(event.data))));
  };
  const close = () => {
    source?.close();
    source = null;
  };
  hold?.addEventListener("click", () => {
    held = !held;
    hold.setAttribute("aria-pressed", String(held));
    hold.textContent = held ? hold.dataset.on : hold.dataset.off;
    tell(held ? "held" : "connected");
  });
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => event.persisted && open());
  if (!document.hidden) open();
})();
