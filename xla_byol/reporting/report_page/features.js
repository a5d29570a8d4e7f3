// What was learned, for people: neighbours, a map and confusions of the test images, from each run's features.json.
"use strict";

const MAP_SIZE = 420;
const PICTURE_SIZE = 40;  // of a gallery: a row of nine and its name fit in half of a page

function className(features, label) {
  return label < 0 ? "" : features.classes[label] || `class ${label}`;
}

// Evenly spread hues; neighbours in number are told apart by lightness too.
function classColor(label, classes) {
  return label < 0 ? "var(--soft)" : `hsl(${Math.round(label * 360 / classes)} 65% ${label % 2 ? 42 : 58}%)`;
}

function featureCard(cards, run, many, title, note) {
  const card = html("figure", {class: "card"}, cards);
  const caption = html("div", {}, html("figcaption", {}, card));
  html("h3", {}, caption, many ? `${title}: ${run.label}` : title);
  html("p", {}, caption, note);
  return card;
}

// One grid of pictures, shown piece by piece, so that each piece can have a frame and a name.
function addGallery(cards, run, many) {
  const {gallery} = run.features;
  const card = featureCard(cards, run, many, "Nearest neighbours",
      "left: a test image; then the images whose features are most similar, framed in red where the class is another");
  card.classList.add("gallery");
  const cell = gallery.size + 1, shown = PICTURE_SIZE;
  const scale = shown / gallery.size;
  gallery.rows.forEach((row, y) => {
    const line = html("div", {class: "gallery-row"}, card);
    html("span", {class: "soft"}, line, className(run.features, row.labels[0]));
    row.labels.forEach((label, x) => {
      const same = label === row.labels[0];
      html("i", {
        class: x === 0 ? "asked" : same ? "" : "other",
        title: x === 0 ? className(run.features, label) : `${className(run.features, label)} cosine ${formatNumber(row.cosines[x], 3)}`,
        style: `width:${shown}px;height:${shown}px;background:url(${gallery.picture}) ${-x * cell * scale}px ${-y * cell * scale}px / ` +
            `${(gallery.columns * cell - 1) * scale}px auto`,
      }, line);
    });
  });
}

function addMap(cards, run, many) {
  const {map} = run.features;
  const classes = Math.max(run.features.classes.length, ...map.label.map((label) => label + 1));
  const card = featureCard(cards, run, many, "Map of the test images",
      `${formatCount(map.x.length)} images along the two main directions of their features (PCA), ` +
      `which hold ${formatPercent(map.explained[0] + map.explained[1])} of the variance`);
  const canvas = html("canvas", {width: 2 * MAP_SIZE, height: 2 * MAP_SIZE, class: "map", role: "img", "aria-label": "map of the test images"}, card);
  const pen = canvas.getContext("2d");
  const low = [Math.min(...map.x), Math.min(...map.y)], high = [Math.max(...map.x), Math.max(...map.y)];
  const scale = (2 * MAP_SIZE - 24) / Math.max(high[0] - low[0], high[1] - low[1], 1e-12);
  pen.globalAlpha = 0.75;
  map.x.forEach((x, i) => {
    pen.fillStyle = classColor(map.label[i], classes);
    pen.beginPath();
    pen.arc(12 + (x - low[0]) * scale, 2 * MAP_SIZE - 12 - (map.y[i] - low[1]) * scale, 5, 0, 2 * Math.PI);
    pen.fill();
  });
  const legend = html("div", {class: "legend"}, card);
  const labels = [...new Set(map.label)].filter((label) => label >= 0).sort((a, b) => a - b);
  for (const label of labels.slice(0, 20)) {
    const entry = html("span", {class: "group"}, legend);
    html("span", {class: "swatch", style: `background:${classColor(label, classes)}`}, entry);
    entry.append(className(run.features, label));
  }
}

function addConfusion(cards, run, many) {
  const {confusion} = run.features;
  const card = featureCard(cards, run, many, "Confusions of the linear probe",
      "of the test images of a row's class, how many percent the probe takes for a column's");
  const table = html("table", {class: "confusion"}, html("div", {class: "plain-scroll"}, card));
  const numbered = confusion.length <= 20;
  const head = html("tr", {}, table);
  html("th", {}, head);
  confusion.forEach((_, column) => html("th", {title: className(run.features, column)}, head, numbered ? String(column) : ""));
  confusion.forEach((counts, row) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    const line = html("tr", {}, table);
    html("th", {}, line, numbered ? `${row} ${run.features.classes[row] || ""}` : "");
    counts.forEach((count, column) => {
      const share = total > 0 ? count / total : 0;
      // Mistakes are rare: their colour grows four times as fast.
      const strength = row === column ? share * 0.8 : Math.min(1, share * 4);
      html("td", {
        class: row === column ? "right" : "wrong",
        style: `--strength:${strength.toFixed(3)}`,
        title: `${className(run.features, row)} taken for ${className(run.features, column)}: ${formatCount(count)} of ${formatCount(total)}`,
      }, line, numbered && share >= 0.005 ? String(Math.round(100 * share)) : "");
    });
  });
}

function addFeatures(page, runs, many) {
  const known = runs.filter((run) => run.features);
  if (known.length === 0) return;
  html("h2", {}, page, "What was learned");
  const cards = html("div", {class: "cards few"}, page);
  for (const run of known) {
    if (run.features.gallery) addGallery(cards, run, many);
    if (run.features.map) addMap(cards, run, many);
    if (run.features.confusion) addConfusion(cards, run, many);
  }
}
