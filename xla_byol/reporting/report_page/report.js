// Builds the page from the data inside it.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs;
const many = runs.length > 1;
const page = document.getElementById("page");
const view = sharedView({x: "step", smoothing: 0.3, zoomed: (range) => document.getElementById("unzoom").hidden = range === null});

function pointsOf(run, [kind, name, , options = {}]) {
  const table = run.tables[kind];
  const column = table && table.columns[name];
  if (!column) return [];
  const scale = options.perLatent ? 1 / run.latent_size : 1;
  const bound = (key) => options[key] ? (table.columns[options[key]] || {}).mean : column[key];
  const low = bound("low"), high = bound("high");
  const points = [];
  column.mean.forEach((y, i) => {
    if (!isNumber(y) || !isNumber(scale)) return;
    const point = {at: {step: table.step[i], epoch: table.epoch[i], seconds: table.seconds[i]}, y: y * scale};
    if (low && high && isNumber(low[i]) && isNumber(high[i])) {
      point.low = low[i] * scale;
      point.high = high[i] * scale;
    }
    points.push(point);
  });
  return points;
}

// The first of a curve and its alternatives that is a curve, or else has a point at all.
function bestOf(run, curve) {
  const options = curve[3] || {};
  const choices = [curve, ...(options.else || []).map((other) => [...other.slice(0, 3), {...options, else: undefined}])]
      .map((choice) => ({label: choice[2], points: pointsOf(run, choice)}));
  return choices.find((choice) => choice.points.length >= 3) || choices.find((choice) => choice.points.length > 0);
}

// Colours tell runs apart where there are several, and curves where there is one.
function curvesOf(spec) {
  const curves = [];
  runs.forEach((run, runIndex) => spec.curves.forEach((curve, index) => {
    const best = bestOf(run, curve);
    if (!best) return;
    const options = curve[3] || {};
    const series = best.label + (options.axis === "right" ? " (right axis)" : "");
    curves.push({
      run: runIndex,
      index,
      series,
      keys: ["run " + runIndex, `${spec.title}/${index}`],
      label: many ? run.label + (spec.curves.length > 1 ? " · " + best.label : "") : best.label,
      color: `var(--c${(many ? runIndex : index) % COLORS})`,
      dash: many ? index + Math.floor(runIndex / COLORS) : 0,
      axis: options.axis || "left",
      percent: options.percent,
      band: options.low !== undefined,
      points: best.points,
    });
  }));
  return curves;
}

// Runs by colour and curves by dash, not every pair of them.
function legendOf(curves) {
  const entries = new Map();
  const series = new Set(curves.map((curve) => curve.index));
  for (const curve of curves) {
    const runKey = curve.keys[0];
    if (many) entries.set(runKey, {key: runKey, label: runs[curve.run].label, color: curve.color, dash: Math.floor(curve.run / COLORS)});
  }
  for (const curve of curves) {
    const key = curve.keys[1];
    if (many && (series.size === 1 || entries.has(key))) continue;
    entries.set(key, {key, label: curve.series, color: many ? "var(--soft)" : curve.color, dash: many ? curve.index : 0});
  }
  // The title says what a lone curve is.
  return entries.size > 1 ? [...entries.values()] : [];
}

function addSection({title, intro}, charts) {
  html("h2", {}, page, title);
  if (intro) html("p", {class: "intro"}, page, intro);
  return html("div", {class: charts.length <= 4 ? "cards few" : "cards"}, page);
}

function addCharts(section) {
  const made = [];
  for (const spec of section.charts) {
    if (spec.heatmap) {
      for (const run of runs) {
        const map = run.heatmaps[spec.heatmap];
        if (map) made.push(new Heatmap({...spec, title: many ? `${spec.title}: ${run.label}` : spec.title}, map, view));
      }
      continue;
    }
    const curves = curvesOf(spec);
    if (curves.length === 0 || (spec.needsFirst && !curves.some((curve) => curve.index === 0))) continue;
    const values = spec.reference ? [...new Set(runs.map(spec.reference).filter(isNumber))] : [];
    made.push(new LineChart({...spec, references: values, legend: legendOf(curves)}, curves, view));
  }
  if (made.length === 0) return;
  const cards = addSection(section, made);
  for (const chart of made) cards.append(chart.card);
  view.charts.push(...made);
}

// The last value that the evaluation of the only run found; NaN if there is none.
function lastOfEvaluation(name) {
  const points = many ? [] : pointsOf(runs[0], ["evaluation", name]);
  return points.length > 0 ? points[points.length - 1].y : NaN;
}

// Whether the untrained network or raw pixels were measured.
const hasBaselines = BASELINES.slice(1).some(
    ([prefix]) => BASELINE_COLUMNS.some(([name]) => isNumber(lastOfEvaluation(prefix + name))));

function addBaselines() {
  if (!hasBaselines) return;
  const columns = BASELINE_COLUMNS.filter(([name]) => isNumber(lastOfEvaluation(name)));
  html("p", {class: "intro"}, page, "The same measures of the network before training and of " +
      "the pixels themselves. Training usually lowers the effective rank; in a collapse it is near 1.");
  const table = html("table", {class: "compare"}, html("div", {class: "scroll medium"}, page));
  const head = html("tr", {}, table);
  for (const [, label] of [["", ""], ...columns]) html("th", {}, head, label);
  for (const [prefix, label] of BASELINES) {
    const row = html("tr", {}, table);
    html("td", {}, row, label);
    for (const [name, , format] of columns) html("td", {}, row, format(lastOfEvaluation(prefix + name)));
  }
}

// Names as kind/name of whatever no section draws.
function otherMetrics() {
  const known = new Set(["train/finite"]);
  if (hasBaselines) BASELINES.forEach(([prefix]) => BASELINE_COLUMNS.forEach(([name]) => known.add("evaluation/" + prefix + name)));
  const note = (curve) => {
    const options = curve[3] || {};
    known.add(curve[0] + "/" + curve[1]);
    for (const bound of [options.low, options.high]) known.add(curve[0] + "/" + bound);
    (options.else || []).forEach(note);
  };
  for (const section of SECTIONS) for (const spec of section.charts) (spec.curves || []).forEach(note);
  const names = new Set();
  for (const run of runs) {
    for (const kind in run.tables) for (const name in run.tables[kind].columns) names.add(kind + "/" + name);
  }
  return [...names].filter((name) => !known.has(name) && !name.startsWith("session/")).sort();
}

function addOtherMetrics() {
  const split = (name) => [name.slice(0, name.indexOf("/")), name.slice(name.indexOf("/") + 1)];
  const title = (name) => name.replaceAll("_", " ");
  const others = otherMetrics().map((name) => {
    const [kind, metric] = split(name);
    const points = runs.map((run) => pointsOf(run, [kind, metric]));
    return {kind, metric, points, once: points.every((list) => list.length <= 1)};
  });
  addCharts({
    title: "Other metrics",
    charts: others.filter(({once}) => !once)
        .map(({kind, metric}) => ({title: title(metric), note: kind, curves: [[kind, metric, metric]]})),
  });
  const once = others.filter((other) => other.once && other.points.some((list) => list.length > 0));
  if (once.length === 0) return;
  html("h2", {}, page, "Other results");
  addTable("", once.map(({metric, points}) => [title(metric), points.map(([point]) => point ? formatNumber(point.y) : "–")]));
}

// A row for each [label, a text for each run].
function addTable(corner, rows) {
  const table = html("table", {class: "compare"}, html("div", {class: "scroll" + (many ? "" : " narrow")}, page));
  if (many) {
    const head = html("tr", {}, table);
    html("th", {}, head, corner);
    for (const run of runs) html("th", {}, head, run.label);
  }
  for (const [label, texts] of rows) {
    const row = html("tr", {}, table);
    html("td", {}, row, label);
    for (const text of texts) html("td", {}, row, text);
  }
}

// Where the time of all of a run's sessions went.
function addSessions() {
  const sum = (run, name) => {
    const points = pointsOf(run, ["session", name]);
    return points.length > 0 ? points.reduce((total, point) => total + point.y, 0) : NaN;
  };
  const sessions = runs.map((run) => (run.tables.session || {step: []}).step.length);
  const names = new Set(runs.flatMap((run) => Object.keys((run.tables.session || {columns: {}}).columns)));
  const known = SESSION_TIMES.filter(([name]) => names.has(name));
  const others = [...names].filter((name) => !SESSION_TIMES.some(([one]) => one === name));
  if (names.size === 0) return;
  html("h2", {}, page, "Where the time went");
  addTable("", [
    ...known.map(([name, label]) => [label, runs.map((run) => formatDuration(sum(run, name)))]),
    ...others.map((name) => [name.replaceAll("_", " "), runs.map((run) => formatNumber(sum(run, name)))]),
    ["sessions", sessions.map(formatCount)],
  ]);
}

function addHeader() {
  html("h1", {}, page, data.title);
  if (!many) {
    html("p", {class: "soft"}, page, runs[0].directory);
  }
  // Of five classes or fewer, five guesses are always right.
  const says = (key, value) => isNumber(value) && !(key === "linear_top5" && value === 1);
  const shown = HEADLINES.filter(([key]) => runs.some((run) => says(key, run.headline[key])));
  if (many) return addComparison(shown);
  const tiles = html("div", {class: "tiles"}, page);
  for (const [key, label, format] of shown) {
    const tile = html("div", {class: "tile"}, tiles);
    html("b", {}, tile, format(runs[0].headline[key]));
    html("span", {}, tile, label);
  }
}

function addComparison(shown) {
  const table = html("table", {class: "compare"}, html("div", {class: "scroll"}, page));
  const head = html("tr", {}, table);
  html("th", {}, head, "run");
  for (const [, label] of shown) html("th", {}, head, label);
  runs.forEach((run, index) => {
    const row = html("tr", {}, table);
    const name = html("td", {title: run.directory}, row);
    html("span", {class: "swatch", style: `background:var(--c${index % COLORS})`}, name);
    name.append(run.label);
    for (const [key, , format, better] of shown) {
      const value = run.headline[key];
      const best = better !== 0 && isNumber(value) &&
          runs.every((other) => !isNumber(other.headline[key]) || better * other.headline[key] <= better * value);
      html("td", {}, row).append(best ? html("b", {}, null, format(value)) : format(value));
    }
  });
}

function addToolbar() {
  const bar = html("div", {class: "bar"}, page);
  const axes = html("span", {class: "group"}, bar, "over");
  const buttons = Object.entries(X_AXES).map(([key, {label}]) => {
    const button = html("button", {type: "button", "aria-pressed": key === view.x}, axes, label);
    button.addEventListener("click", () => {
      view.x = key;
      for (const [other, one] of buttons) one.setAttribute("aria-pressed", other === key);
      view.zoom(null);
    });
    return [key, button];
  });
  const smoothing = html("label", {class: "group"}, bar, "smoothing");
  const slider = html("input", {type: "range", min: 0, max: 1, step: 0.05, value: view.smoothing}, smoothing);
  slider.addEventListener("input", () => {
    view.smoothing = Number(slider.value);
    view.redraw();
  });
  const unzoom = html("button", {type: "button", id: "unzoom", hidden: ""}, bar, "whole run");
  unzoom.addEventListener("click", () => view.zoom(null));
  html("span", {class: "soft"}, bar, "drag in a chart to zoom");
  bar.append(themeButton());
}

function addPictures() {
  if (!runs.some((run) => run.pictures.length > 0)) return;
  html("h2", {}, page, "Augmented samples");
  html("p", {class: "intro"}, page, "What the network was shown: in each pair of rows, view 1 is above view 2 of the same images.");
  const samples = html("div", {class: "samples"}, page);
  for (const run of runs) {
    for (const picture of run.pictures) {
      const figure = html("figure", {class: "card"}, samples);
      const text = `${many ? run.label + " · " : ""}${picture.name.replaceAll("_", " ")} · step ${formatCount(picture.step)}`;
      // Small pictures are shown by whole multiples of their pixels.
      const scale = Math.max(1, Math.floor(640 / picture.width));
      html("img", {src: picture.source, alt: text, width: picture.width * Math.min(4, scale)}, figure);
      html("p", {class: "soft"}, figure, text);
    }
  }
}

// A textproto as [path, value] pairs.
function fieldsOf(config) {
  const path = [], fields = new Map();
  for (const line of config.split("\n").map((text) => text.trim())) {
    const opening = line.match(/^(\w+)\s*:?\s*\{$/);
    const field = line.match(/^(\w+):\s*(.*)$/);
    if (opening) path.push(opening[1]);
    else if (line === "}") path.pop();
    else if (field) {
      const key = [...path, field[1]].join(".");
      fields.set(key, fields.has(key) ? `${fields.get(key)}, ${field[2]}` : field[2]);
    }
  }
  return fields;
}

function addDifferences() {
  const fields = runs.map((run) => fieldsOf(run.config));
  const keys = [...new Set(fields.flatMap((map) => [...map.keys()]))];
  const different = keys.filter((key) => new Set(fields.map((map) => map.get(key))).size > 1);
  if (different.length === 0) {
    html("p", {class: "intro"}, page, "The runs have the same config.");
    return;
  }
  addTable("differs", different.map((key) => [key, fields.map((map) => map.get(key) || "–")]));
}

function addConfigs() {
  if (!runs.some((run) => run.config)) return;
  html("h2", {}, page, "Config");
  if (many) addDifferences();
  for (const run of runs) {
    if (!run.config) continue;
    const details = html("details", {}, page);
    html("summary", {}, details, many ? run.label : "everything that the run was given");
    html("pre", {}, details, run.config);
  }
}

addHeader();
addBaselines();
addToolbar();
addFeatures(page, runs, many);
for (const section of SECTIONS) addCharts(section);
addSessions();
addPictures();
addOtherMetrics();
addConfigs();
view.follow(page);
document.documentElement.dataset.drawn = view.charts.length;
