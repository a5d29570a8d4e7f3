// A distribution over training: columns are moments, rows are bins, the deeper the colour the larger the share.
"use strict";

class Heatmap extends Chart {
  constructor(spec, map, view) {
    super(spec, view);
    this.map = map;
    this.largest = Math.max(...map.shares.flat());
  }

  // Small shares must show beside a bin that holds nearly all.
  color(share) {
    return `rgba(var(--heat), ${Math.sqrt(share / this.largest).toFixed(3)})`;
  }

  draw() {
    this.svg.replaceChildren();
    this.hideTip();
    const map = this.map;
    const at = map[X_AXES[this.view.x].key];
    const width = Math.max(200, this.svg.clientWidth || 430);
    const left = 46, top = 10, bottom = top + PLOT_HEIGHT;
    const plotWidth = width - left - 66;
    this.svg.setAttribute("height", PLOT_HEIGHT + 48);
    // A column stands for the time since the one before.
    const starts = at.map((value, i) => i > 0 ? at[i - 1] : Math.min(value, 0));
    const whole = [starts[0], at[at.length - 1]];
    if (whole[0] === whole[1]) whole[1] += 1;
    const range = this.view.range || whole;
    const x = this.drawXAxis(range, left, plotWidth, bottom);
    const low = map.edges[0], high = map.edges[map.edges.length - 1];
    const y = (value) => bottom - (value - low) / (high - low) * PLOT_HEIGHT;
    map.shares.forEach((shares, i) => {
      const from = Math.max(x(starts[i]), left), to = Math.min(x(i === at.length - 1 ? whole[1] : at[i]), left + plotWidth);
      if (to <= from) return;
      shares.forEach((share, bin) => {
        if (share === 0) return;
        const upper = y(map.edges[bin + 1]);
        svg("rect", {class: "cell", x: from.toFixed(2), width: (to - from + 0.3).toFixed(2), y: upper.toFixed(2),
          height: (y(map.edges[bin]) - upper + 0.3).toFixed(2), style: `fill:${this.color(share)}`}, this.svg);
      });
    });
    svg("rect", {x: left, y: top, width: plotWidth, height: PLOT_HEIGHT, style: "fill:none;stroke:var(--faint)"}, this.svg);
    for (const tick of linearTicks(low, high, 5)) {
      svg("text", {x: left - 7, y: y(tick) + 4, "text-anchor": "end"}, this.svg, formatNumber(tick, 3));
    }
    this.drawKey(left + plotWidth + 14, top, bottom);
    this.starts = starts;
    this.ends = at;
  }

  // The colours with their shares, beside the plot.
  drawKey(x, top, bottom) {
    const parts = 24;
    for (let i = 0; i < parts; ++i) {
      const height = (bottom - top) / parts;
      svg("rect", {x, width: 10, y: bottom - (i + 1) * height, height: height + 0.3,
        style: `fill:${this.color(this.largest * ((i + 1) / parts) ** 2)}`}, this.svg);
    }
    for (const part of [0, 0.5, 1]) {
      svg("text", {x: x + 14, y: bottom - part * (bottom - top) + (part === 1 ? 9 : part === 0 ? 0 : 4)}, this.svg,
          formatPercent(this.largest * part ** 2, this.largest < 0.1 ? 1 : 0));
    }
  }

  showTip(event) {
    const map = this.map, at = this.valueAt(event);
    let column = this.ends.findIndex((end) => at <= end);
    if (column < 0) column = this.ends.length - 1;
    const share = (this.plot.bottom - (event.clientY - this.svg.getBoundingClientRect().top)) / PLOT_HEIGHT;
    const bins = map.edges.length - 1;
    const value = map.edges[0] + share * (map.edges[bins] - map.edges[0]);
    const bin = Math.min(bins - 1, Math.max(0, map.edges.findIndex((edge) => edge > value) - 1));
    if (this.cursor) this.cursor.remove();
    this.fillTip(event, `step ${formatCount(map.step[column])} · epoch ${formatNumber(map.epoch[column], 3)}`,
        [["", `${formatNumber(map.edges[bin], 3)} to ${formatNumber(map.edges[bin + 1], 3)}`, formatPercent(map.shares[column][bin])]]);
  }
}
