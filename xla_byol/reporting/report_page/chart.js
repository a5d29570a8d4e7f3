// A line chart: curves of several runs over training, one or two y axes, hover, zoom.
"use strict";

const DASHES = ["", "6 4", "2 4", "9 3 2 3"];
const MARKER_LIMIT = 40;  // a curve with fewer points shows them
const PLOT_HEIGHT = 210;
const COLORS = 10;  // --c0 to --c9 in the style

// What all charts of a page share: the x axis, smoothing, zoom, and which curves are hidden. `zoomed` hears of every zoom.
function sharedView({x, smoothing, zoomed = () => {}}) {
  return {
    x,
    smoothing,
    range: null,
    hidden: new Set(),
    charts: [],
    redraw() { for (const chart of this.charts) chart.draw(); },
    zoom(range) {
      this.range = range;
      zoomed(range);
      this.redraw();
    },
    toggle(key) {
      if (!this.hidden.delete(key)) this.hidden.add(key);
      this.redraw();
    },
    // Draws, and again whenever the page's width changes.
    follow(page) {
      this.redraw();
      let drawnWidth = page.clientWidth;
      new ResizeObserver(() => {
        if (page.clientWidth === drawnWidth) return;
        drawnWidth = page.clientWidth;
        this.redraw();
      }).observe(page);
    },
  };
}

// Each value by the straight line that fits its neighbours best, so that slopes stay, up to the ends. The strength in [0, 1]
// is of the curve's own length: curves with a few points stay as they are.
function smooth(points, strength) {
  const reach = Math.floor(strength * points.length / 20);
  if (reach === 0) return points;
  const sums = [[0, 0]];  // of y and i y, before each point
  points.forEach(({y}, i) => sums.push([sums[i][0] + y, sums[i][1] + i * y]));
  return points.map((point, i) => {
    const first = Math.max(0, i - reach), end = Math.min(points.length, i + reach + 1);
    const count = end - first, middle = (first + end - 1) / 2;
    const [sum, moment] = [0, 1].map((k) => sums[end][k] - sums[first][k]);
    const slope = 12 * (moment - middle * sum) / (count * (count * count - 1));
    return {...point, y: sum / count + slope * (i - middle)};
  });
}

// Extent of numbers with some air; null if there are none.
function extent(values, log) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (log && value <= 0) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return null;
  if (log) return low === high ? [low / 2, high * 2] : [low / (high / low) ** 0.05, high * (high / low) ** 0.05];
  if (low === high) {
    const air = Math.abs(low) * 0.1 || 1;
    return [low - air, high + air];
  }
  return [low - (high - low) * 0.05, high + (high - low) * 0.05];
}

function pathOf(points, x, y) {
  let path = "";
  for (const point of points) path += (path ? "L" : "M") + x(point.x).toFixed(1) + " " + y(point.y).toFixed(1);
  return path;
}

// What line and heat charts share: the card, the x axis, the cursor and the zoom.
class Chart {
  constructor(spec, view) {
    this.spec = spec;
    this.view = view;
    this.card = html("figure", {class: "card" + (spec.wide ? " wide" : "")});
    const caption = html("figcaption", {}, this.card);
    const words = html("div", {}, caption);
    html("h3", {}, words, spec.title);
    if (spec.note) html("p", {}, words, spec.note);
    this.caption = caption;
    this.svg = svg("svg", {role: "img", "aria-label": spec.title}, this.card);
    this.tip = html("div", {class: "tip", hidden: ""}, this.card);
    this.svg.addEventListener("pointermove", (event) => this.pointerMoved(event));
    this.svg.addEventListener("pointerleave", () => this.hideTip());
    this.svg.addEventListener("pointerdown", (event) => this.pointerDown(event));
    this.svg.addEventListener("pointerup", (event) => this.pointerUp(event));
    this.svg.addEventListener("dblclick", () => this.view.zoom(null));
  }

  // The x axis under a plot of the given rectangle; returns the scale.
  drawXAxis(range, left, width, bottom) {
    const [low, high] = range;
    const scale = (value) => left + (value - low) / (high - low) * width;
    let unit = 1, label = X_AXES[this.view.x].label;
    if (this.view.x === "seconds") [unit, label] = timeUnit(high);
    for (const tick of linearTicks(low / unit, high / unit, Math.max(2, width / 90))) {
      if (this.view.x === "step" && tick % 1 !== 0) continue;
      const x = scale(tick * unit);
      svg("line", {class: "grid", x1: x, x2: x, y1: bottom, y2: bottom + 4}, this.svg);
      svg("text", {x, y: bottom + 17, "text-anchor": "middle"}, this.svg, shortCount(tick));
    }
    svg("text", {x: left + width, y: bottom + 32, "text-anchor": "end"}, this.svg, label);
    this.plot = {left, width, bottom, low, high, scale};
    return scale;
  }

  valueAt(event) {
    const {left, width, low, high} = this.plot;
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    return low + Math.min(1, Math.max(0, (x - left) / width)) * (high - low);
  }

  pointerDown(event) {
    if (event.button !== 0 || !this.plot || event.pointerType === "touch") return;
    this.svg.setPointerCapture(event.pointerId);
    this.dragFrom = this.valueAt(event);
    this.selection = svg("rect", {class: "selection", y: 0, height: this.plot.bottom, x: 0, width: 0}, this.svg);
  }

  pointerUp(event) {
    if (this.dragFrom === undefined) return;
    const range = [this.dragFrom, this.valueAt(event)].sort((a, b) => a - b);
    this.dragFrom = undefined;
    this.selection.remove();
    if (this.plot.scale(range[1]) - this.plot.scale(range[0]) > 6) this.view.zoom(range);
  }

  pointerMoved(event) {
    if (!this.plot) return;
    if (this.dragFrom !== undefined) {
      const ends = [this.dragFrom, this.valueAt(event)].map(this.plot.scale).sort((a, b) => a - b);
      this.selection.setAttribute("x", ends[0]);
      this.selection.setAttribute("width", ends[1] - ends[0]);
      this.hideTip();
      return;
    }
    this.showTip(event);
  }

  hideTip() {
    this.tip.hidden = true;
    if (this.cursor) this.cursor.remove();
  }

  // Rows of [colour, label, value] beside the pointer.
  fillTip(event, title, rows) {
    this.tip.replaceChildren();
    html("b", {}, this.tip, title);
    const table = html("table", {}, this.tip);
    for (const [color, label, value] of rows) {
      const row = html("tr", {}, table);
      const name = html("td", {}, row);
      if (color) html("span", {class: "swatch", style: `background:${color}`}, name);
      name.append(label);
      html("td", {}, row, value);
    }
    this.tip.hidden = false;
    const card = this.card.getBoundingClientRect();
    const x = event.clientX - card.left;
    const flip = x + this.tip.offsetWidth + 24 > card.width;
    this.tip.style.left = (flip ? Math.max(0, x - this.tip.offsetWidth - 14) : x + 14) + "px";
    this.tip.style.top = Math.max(0, event.clientY - card.top - this.tip.offsetHeight / 2) + "px";
  }
}

// `curves` are {keys, label, color, dash, axis: "left" or "right", percent, band, points: [{at: {step, epoch, seconds}, y,
// low, high}]}. A band is drawn between low and high where points have them; with `band` it counts for the axis too. The
// legend's entries {key, label, color, dash} hide and show all curves that have their key.
class LineChart extends Chart {
  constructor(spec, curves, view) {
    super(spec, view);
    this.curves = curves;
    this.log = false;
    const button = html("button", {type: "button", "aria-pressed": "false", title: "logarithmic y axis"}, this.caption, "log");
    button.addEventListener("click", () => {
      this.log = !this.log;
      button.setAttribute("aria-pressed", this.log);
      this.draw();
    });
    this.legend = html("div", {class: "legend"}, this.card);
  }

  visibleCurves() {
    const range = this.view.range;
    return this.curves.filter((curve) => !curve.keys.some((key) => this.view.hidden.has(key))).map((curve) => {
      const all = curve.points.map((point) => ({...point, x: point.at[this.view.x]}));
      const smoothed = smooth(all, this.spec.exact ? 0 : this.view.smoothing);
      // One neighbour on each side, so that lines leave the plot instead of ending inside.
      const inside = (i) => !range || [i - 1, i, i + 1].some((j) => all[j] && all[j].x >= range[0] && all[j].x <= range[1]);
      const points = smoothed.filter((_, i) => inside(i));
      return {...curve, raw: all.filter((_, i) => inside(i)), points, smoothed: smoothed !== all};
    }).filter((curve) => curve.points.length > 0);
  }

  draw() {
    this.svg.replaceChildren();
    this.hideTip();
    this.plot = undefined;
    this.drawLegend();
    const curves = this.visibleCurves();
    this.drawn = curves;
    const height = PLOT_HEIGHT + 48;
    this.svg.setAttribute("height", height);
    if (curves.length === 0) {
      svg("text", {x: 8, y: 40}, this.svg, "nothing to show here");
      return;
    }
    const width = Math.max(200, this.svg.clientWidth || 430);
    const top = 10, bottom = top + PLOT_HEIGHT;
    const axes = ["left", "right"].map(
        (side) => this.axisOf(curves.filter((curve) => curve.axis === side), side === "left" ? this.spec.references : []));
    const left = axes[0] ? axes[0].room : 8;
    const right = axes[1] ? axes[1].room : 12;
    const range = this.view.range || extentOfX(curves);
    const plotWidth = width - left - right;
    const x = this.drawXAxis(range, left, plotWidth, bottom);
    const clip = "clip" + Chart.nextId++;
    const clipPath = svg("clipPath", {id: clip}, this.svg);
    svg("rect", {x: left - 3, y: top - 3, width: plotWidth + 6, height: PLOT_HEIGHT + 6}, clipPath);
    axes.forEach((axis, side) => axis && this.drawYAxis(axis, side, left, plotWidth, top, bottom));
    const group = svg("g", {"clip-path": `url(#${clip})`}, this.svg);
    for (const reference of this.spec.references) {
      const y = axes[0] && axes[0].scale(reference);
      if (y >= top && y <= bottom) svg("line", {class: "reference", x1: left, x2: left + plotWidth, y1: y, y2: y}, group);
    }
    for (const curve of curves) this.drawCurve(curve, axes[curve.axis === "right" ? 1 : 0], x, group);
  }

  axisOf(curves, references) {
    if (curves.length === 0) return null;
    const values = curves.flatMap((curve) => curve.points.flatMap((p) => curve.band ? [p.y, p.low, p.high] : [p.y]));
    values.push(...references);
    if (this.spec.zero && !this.log) values.push(0);
    const log = this.log && values.some((value) => value > 0);
    const range = extent(values, log);
    // Nothing below zero, no air below it.
    if (this.spec.zero && !log && !values.some((value) => value < 0)) range[0] = 0;
    const ticks = log ? logTicks(...range) : linearTicks(...range, 5);
    const percent = curves.every((curve) => curve.percent);
    // As many decimals as tell neighbouring ticks apart.
    const digits = ticks.length > 1 ? Math.min(5, Math.max(0, -Math.floor(Math.log10(100 * (ticks[1] - ticks[0])) + 1e-9))) : 1;
    const format = (value) => percent ? formatPercent(value, digits) : formatNumber(value, 4);
    const room = 14 + 6.6 * Math.max(...ticks.map((tick) => format(tick).length));
    return {range, log, ticks, format, room};
  }

  drawYAxis(axis, side, left, width, top, bottom) {
    const [low, high] = axis.range;
    const share = axis.log ? (value) => Math.log(Math.max(value, low * 1e-6) / low) / Math.log(high / low)
                           : (value) => (value - low) / (high - low);
    axis.scale = (value) => bottom - share(value) * (bottom - top);
    for (const tick of axis.ticks) {
      const y = axis.scale(tick);
      if (side === 0) svg("line", {class: "grid", x1: left, x2: left + width, y1: y, y2: y}, this.svg);
      svg("text", {x: side === 0 ? left - 7 : left + width + 7, y: y + 4, "text-anchor": side === 0 ? "end" : "start"},
          this.svg, axis.format(tick));
    }
  }

  drawCurve(curve, axis, x, group) {
    // A logarithm has no place for zero and less.
    const fits = (point) => !axis.log || point.y > 0;
    const points = curve.points.filter(fits);
    if (points.length === 0) return;
    if (points.some((point) => point.low !== undefined)) {
      const edge = (key) => points.map((point) => ({x: point.x, y: axis.log ? Math.max(point[key], axis.range[0]) : point[key]}));
      const outline = pathOf(edge("high"), x, axis.scale) + "L" + pathOf(edge("low").reverse(), x, axis.scale).slice(1) + "Z";
      svg("path", {class: "band", d: outline, style: `fill:${curve.color}`}, group);
    }
    if (curve.smoothed) {
      svg("path", {class: "raw", d: pathOf(curve.raw.filter(fits), x, axis.scale), style: `stroke:${curve.color}`}, group);
    }
    svg("path", {class: "line", d: pathOf(points, x, axis.scale), style: `stroke:${curve.color}`,
      "stroke-dasharray": DASHES[curve.dash % DASHES.length]}, group);
    if (points.length <= MARKER_LIMIT) {
      for (const point of points) svg("circle", {cx: x(point.x), cy: axis.scale(point.y), r: 2.6, style: `fill:${curve.color}`}, group);
    }
  }

  drawLegend() {
    this.legend.replaceChildren();
    for (const {key, label, color, dash} of this.spec.legend) {
      const off = this.view.hidden.has(key);
      const button = html("button", {type: "button", title: "show or hide", class: off ? "off" : ""}, this.legend);
      const sample = svg("svg", {viewBox: "0 0 24 10"}, button);
      svg("line", {x1: 1, x2: 23, y1: 5, y2: 5, style: `stroke:${color};stroke-width:2.5`,
        "stroke-dasharray": DASHES[dash % DASHES.length]}, sample);
      button.append(label);
      button.addEventListener("click", () => this.view.toggle(key));
    }
  }

  showTip(event) {
    const at = this.valueAt(event);
    const near = this.drawn.map((curve) => curve.raw.reduce(
        (best, point) => Math.abs(point.x - at) < Math.abs(best.x - at) ? point : best));
    const nearest = near.reduce((best, point) => Math.abs(point.x - at) < Math.abs(best.x - at) ? point : best);
    if (this.cursor) this.cursor.remove();
    const x = this.plot.scale(nearest.x);
    this.cursor = svg("line", {class: "cursor", x1: x, x2: x, y1: 10, y2: this.plot.bottom}, this.svg);
    // A curve with few points is quoted only near one of them.
    const tolerance = 24 / this.plot.width * (this.plot.high - this.plot.low);
    const rows = this.drawn.map((curve, i) => {
      if (Math.abs(near[i].x - nearest.x) > tolerance) return null;
      const format = (value) => curve.percent ? formatPercent(value, 2) : formatNumber(value, 5);
      const span = near[i].low === undefined ? "" : ` (${format(near[i].low)} – ${format(near[i].high)})`;
      return [curve.color, curve.label, format(near[i].y) + span];
    }).filter(Boolean);
    const {step, epoch, seconds} = nearest.at;
    this.fillTip(event, `step ${formatCount(step)} · epoch ${formatNumber(epoch, 3)} · ${formatDuration(seconds)}`, rows);
  }
}
Chart.nextId = 0;

function extentOfX(curves) {
  let low = Infinity, high = -Infinity;
  for (const curve of curves) {
    for (const {x} of curve.points) {
      low = Math.min(low, x);
      high = Math.max(high, x);
    }
  }
  return low === high ? [low - 1, high + 1] : [low, high];
}
