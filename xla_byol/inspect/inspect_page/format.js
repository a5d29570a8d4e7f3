// Sizes, times and tables of the page.
function scaled(value, units, base) {
  let unit = 0;
  while (Math.abs(value) >= base && unit + 1 < units.length) { value /= base; ++unit; }
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(unit === 0 && Number.isInteger(value) ? 0 : digits)} ${units[unit]}`;
}
const formatBytes = (value) => scaled(value, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
const formatFlops = (value) => scaled(value, ['', 'k', 'M', 'G', 'T', 'P'], 1000) + 'FLOP';
function formatSeconds(value) {
  if (value === undefined) return '–';
  if (value >= 1) return `${value.toFixed(2)} s`;
  if (value >= 1e-3) return `${(value * 1e3).toFixed(value >= 0.1 ? 1 : 2)} ms`;
  return `${(value * 1e6).toFixed(1)} µs`;
}
const formatShare = (value) => formatPercent(value, value < 0.1 ? 1 : 0);

// '+12 %' of b against a; nothing where there is no a.
function formatChange(a, b) {
  if (!(a > 0) || b === undefined) return '';
  const change = b / a - 1;
  return `${change >= 0 ? '+' : '−'}${(100 * Math.abs(change)).toFixed(Math.abs(change) < 0.1 ? 1 : 0)} %`;
}

// A bar of coloured pieces; `whole` is as wide as the cell.
function bar(pieces, whole) {
  const track = element('div', {class: 'track'});
  for (const {value, color, title} of pieces) {
    if (!(value > 0) || !(whole > 0)) continue;
    track.append(element('i', {style: `width: ${100 * value / whole}%; background: var(--${color})`, title}));
  }
  return track;
}

function table(headings, rows) {
  return element('div', {class: 'card'}, element('table', {},
    element('thead', {}, element('tr', {}, headings.map((text) => element('th', {class: text.startsWith('<') ? 'left' : ''},
      text.replace('<', ''))))),
    element('tbody', {}, rows)));
}

const section = (title, intro, ...content) =>
  element('section', {}, element('h2', {}, title), element('p', {class: 'intro'}, intro), content);
