// Numbers for people, ticks for axes, elements of drawings.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

function svg(name, attributes, parent, text) {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

// An element at the end of its parent.
function html(name, attributes, parent, text) {
  const node = element(name, attributes, text);
  if (parent) parent.append(node);
  return node;
}

function formatNumber(value, digits = 4) {
  if (!isNumber(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return Number(value.toPrecision(digits)).toLocaleString("en-US", {maximumFractionDigits: 10});
}

function formatDuration(seconds) {
  if (!isNumber(seconds)) return "–";
  if (seconds < 60) return formatNumber(seconds, 2) + " s";
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.round(minutes % 1440 / 60)} h`;
}

// Round numbers in [low, high], about `count` of them.
function linearTicks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = rough / power;
  const step = (factor >= 7 ? 10 : factor >= 3.2 ? 5 : factor >= 1.45 ? 2 : 1) * power;
  const ticks = [];
  // Not by adding up: the error would show in the labels.
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function logTicks(low, high) {
  const decades = Math.log10(high / low);
  const factors = decades > 5 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 3, 5, 7];
  const ticks = [];
  const stride = Math.max(1, Math.ceil(decades / 6));
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += stride) {
    for (const factor of factors) {
      const tick = Number((factor * 10 ** power).toPrecision(6));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks.length >= 2 ? ticks : linearTicks(low, high, 4);
}

// The three ways to count how far a run is. Time is in the unit that suits its length.
const X_AXES = {
  step: {label: "steps", key: "step", format: formatCount},
  epoch: {label: "epochs", key: "epoch", format: (value) => formatNumber(value, 4)},
  seconds: {label: "time", key: "seconds", format: formatDuration},
};

function timeUnit(seconds) {
  if (seconds > 3 * 86400) return [86400, "days"];
  if (seconds > 3 * 3600) return [3600, "hours"];
  return seconds > 180 ? [60, "minutes"] : [1, "seconds"];
}

function shortCount(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= 10 * size || (Math.abs(value) >= size && value % (size / 10) === 0)) return formatNumber(value / size, 4) + letter;
  }
  return formatNumber(value, 6);
}
