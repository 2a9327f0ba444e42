// Lines over time, drawn by uPlot from what stands in #series: moments first, then a line for each way that requests go. The
// event `figures` says that it has changed.
"use strict";
(() => {
  const KINDS = ["l0", "l1", "model", "refused"];
  const DASHES = [[], [6, 3], [], [2, 3]];
  const given = () => JSON.parse(document.getElementById("series").dataset.series);
  const draw = (place) => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const series = given();
    const names = JSON.parse(place.dataset.names);
    const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 } };
    const pad = (n) => String(n).padStart(2, "0");
    const long = series[0].length > 1 && series[0].at(-1) - series[0][0] > 100000;
    const label = (at) => {
      const then = uPlot.tzDate(new Date(at * 1000), place.dataset.zone);
      const day = `${pad(then.getMonth() + 1)}-${pad(then.getDate())}`;
      return long ? `${day} ${pad(then.getHours())}h` : `${pad(then.getHours())}:${pad(then.getMinutes())}`;
    };
    place.replaceChildren();
    const width = () => Math.max(place.clientWidth, 240);
    const plot = new uPlot(
      {
        width: width(),
        height: 256,
        cursor: { drag: { x: false, y: false } },
        scales: { y: { range: (_, low, high) => [0, Math.max(high * 1.1, 1)] } },
        axes: [
          { ...axis, values: (_, moments) => moments.map(label) },
          { ...axis, size: 44 },
        ],
        series: [
          { value: (_, at) => (at === null ? "–" : label(at)), label: place.dataset.time },
          ...KINDS.map((kind, at) => ({
            label: names[at],
            stroke: colour(kind),
            width: 2,
            dash: DASHES[at],
            value: (_, value) => (value === null ? "–" : value.toFixed(value < 10 ? 1 : 0)),
          })),
        ],
      },
      series,
      place,
    );
    return { fit: () => plot.setSize({ width: width(), height: 256 }), set: () => plot.setData(given()) };
  };
  const place = document.querySelector(".chart");
  if (!place) return;
  let drawn = draw(place);
  new ResizeObserver(() => drawn.fit()).observe(place);
  document.addEventListener("figures", () => drawn.set());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (drawn = draw(place)));
})();
