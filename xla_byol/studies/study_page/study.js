// Builds the page of a study from the data inside it: tables first, then figures, then every run.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const view = sharedView({x: "epoch", smoothing: 0});

function addHeader() {
  const head = html("div", {style: "display:flex"}, page);
  html("h1", {}, head, data.title);
  head.append(themeButton());
  if (data.question) html("p", {class: "intro"}, page, data.question);
  const done = data.runs.filter((run) => run.measures).length;
  html("p", {class: "soft"}, page, `${data.name}: ${done} of ${data.runs.length} runs complete. ` +
      "Mean ± deviation over seeds; the best of a row or column is underlined, the best of a table bold.");
}

function addTable(table) {
  html("h2", {}, page, table.title);
  if (table.paper) html("p", {class: "intro"}, page, "Below each number: " + table.paper + ".");
  const body = html("table", {class: "study"}, html("div", {class: "scroll study"}, page));
  const head = html("tr", {}, body);
  for (const text of [table.corner, ...table.columns]) html("th", {}, head, text);
  const ofPaper = table.columns.map((_, c) => table.cells.some((row) => row[c].paper));
  table.rows.forEach((label, r) => {
    const row = html("tr", {}, body);
    html("td", {}, row, label);
    table.cells[r].forEach((cell, c) => {
      const place = html("td", {}, row);
      const classes = [cell.best && "best", cell.best_of_all && "best-of-all", cell.text === "…" && "missing"];
      html("span", {class: classes.filter(Boolean).join(" ")}, place, cell.text);
      if (ofPaper[c]) html("span", {class: "paper"}, place, cell.paper || "–");
    });
  });
}

function pointsOf(curve) {
  return curve.mean.map((y, i) => {
    const point = {at: {step: curve.step[i], epoch: curve.epoch[i], seconds: curve.seconds[i]}, y};
    return curve.runs > 1 ? {...point, low: curve.low[i], high: curve.high[i]} : point;
  }).filter((point) => isNumber(point.y));
}

function chartsOf(figure) {
  const made = figure.maps.map((map) => new Heatmap({title: `${figure.title}: ${map.label}`, note: figure.note}, map, view));
  if (figure.curves.length === 0) return made;
  const curves = figure.curves.map((curve, index) => ({
    keys: [curve.label],
    label: curve.label,
    color: `var(--c${index % COLORS})`,
    dash: Math.floor(index / COLORS),
    axis: "left",
    points: pointsOf(curve),
  }));
  const legend = curves.map(({label, color, dash}) => ({key: label, label, color, dash}));
  made.push(new LineChart({title: figure.title, note: figure.note, references: [], legend, zero: true}, curves, view));
  return made;
}

function addFigures() {
  const made = data.figures.flatMap(chartsOf);
  if (made.length === 0) return;
  html("h2", {}, page, "Over training");
  html("p", {class: "intro"}, page, "Means over seeds, and the range between them. Hover for values, drag to zoom, double-click to see all.");
  const cards = html("div", {class: made.length <= 4 ? "cards few" : "cards"}, page);
  for (const chart of made) cards.append(chart.card);
  view.charts.push(...made);
}

function addRuns() {
  html("h2", {}, page, "Runs");
  const details = html("details", {}, page);
  html("summary", {}, details, "every run with what it was set to");
  const body = html("table", {class: "study"}, html("div", {class: "scroll study"}, details));
  const measures = ["linear_top1", "linear_top5", "knn_top1", "feature_rank", "seconds"];
  const head = html("tr", {}, body);
  for (const text of ["run", ...measures, "plugin", "commit", "trained by"]) html("th", {}, head, text);
  for (const run of data.runs) {
    const row = html("tr", {}, body);
    html("td", {title: Object.entries(run.values).map(([field, value]) => `${field}=${value}`).join("\n")}, row, run.name);
    for (const name of measures) {
      const value = (run.measures || {})[name];
      html("td", {}, row, name.includes("_top") ? formatPercent(value, 2) : formatNumber(value, 4));
    }
    html("td", {}, row, run.plugin || "–");
    html("td", {}, row, (run.commit || "–").slice(0, 12));
    html("td", {}, row, run.taken_from || "");
  }
}

addHeader();
data.tables.forEach(addTable);
addFigures();
addRuns();
view.follow(page);
document.documentElement.dataset.drawn = data.tables.length + view.charts.length;
