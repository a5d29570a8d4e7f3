const kPasses = {forward: 'online forward', target: 'target forward', recomputed: 'recomputed forward', gradient: 'gradient', update: 'update',
  links: 'collectives'};

const collectiveSeconds = (run) => (run.transfer_seconds || 0) + (run.latency_seconds || 0);
const stepSeconds = (run) => run.compute_seconds === undefined ? undefined : run.compute_seconds + collectiveSeconds(run);
const memoryOf = (run) => run.memory.reduce((sum, kind) => sum + kind.bytes, 0);
const shortName = (run) => `${run.name || 'step'} · ${run.topology || run.platform} · batch ${formatCount(run.batch)}`;

function tiles(runs) {
  const facts = [
    ['estimated step', stepSeconds, formatSeconds],
    ['of it collectives (model)', (run) => run.compute_seconds === undefined ? undefined : collectiveSeconds(run), formatSeconds],
    ['images per second, estimated', (run) => stepSeconds(run) && run.batch / stepSeconds(run), formatCount],
    ['images per device', (run) => run.batch / run.devices, formatCount],
    ['FLOPs per device and step', (run) => run.total.flops, formatFlops],
    ['of peak FLOP/s', (run) => stepSeconds(run) && run.total.flops / stepSeconds(run) / run.peak_flops, formatShare],
    ['memory traffic per device', (run) => run.total.bytes, formatBytes],
    ['memory per device', memoryOf, formatBytes],
    ['compiled in', (run) => run.compile_seconds, formatSeconds],
  ];
  return element('div', {class: 'tiles'}, facts.map(([label, value, format]) => {
    const values = runs.map(value);
    if (values[0] === undefined) return null;
    const shown = [element('b', {}, format(values[0]))];
    if (values.length > 1 && values[1] !== undefined) {
      shown.push(element('b', {}, `${format(values[1])}  ${formatChange(values[0], values[1])}`));
    }
    return element('div', {class: 'tile'}, shown, element('span', {}, label));
  }));
}

// Rows of the parts, one line for each export.
function partsSection(data) {
  const runs = data.exports;
  const timed = runs.every((run) => run.compute_seconds !== undefined);
  const weight = (cost) => timed ? cost.seconds : cost.flops;
  const of = (run, part) => {
    if (part === 'collectives') {
      return [{pass: 'links', flops: 0, bytes: run.collective_bytes || 0, seconds: collectiveSeconds(run), count: run.collectives.length}];
    }
    return run.parts.filter((cost) => cost.part === part);
  };
  const sum = (costs, field) => costs.reduce((total, cost) => total + cost[field], 0);
  const parts = data.order.filter((part) => runs.some((run) => of(run, part).length > 0));
  const whole = Math.max(...parts.flatMap((part) => runs.map((run) => of(run, part).reduce((total, cost) => total + weight(cost), 0))));
  const rows = parts.flatMap((part) => runs.map((run, index) => {
    const costs = of(run, part);
    const seconds = sum(costs, 'seconds'), flops = sum(costs, 'flops');
    const pieces = Object.keys(kPasses).map((pass) => {
      const cost = costs.find((one) => one.pass === pass);
      return {value: cost ? weight(cost) : 0, color: pass,
        title: cost && `${part}, ${kPasses[pass]}: ${timed ? formatSeconds(cost.seconds) : formatFlops(cost.flops)}`};
    });
    const first = runs.length > 1 && index === 0, second = index === 1;
    return element('tr', {class: first ? 'first' : second ? 'second' : ''},
      element('td', {}, second ? element('span', {class: 'soft'}, 'other') : filterLink(part === 'collectives' ? 'all-reduce(' : partFilter(part), part)),
      element('td', {class: `bar left${runs.length > 1 ? ' thin' : ''}`}, bar(pieces, whole)),
      element('td', {}, timed ? formatSeconds(seconds) : ''),
      element('td', {}, timed ? formatShare(seconds / stepSeconds(run)) : formatShare(flops / run.total.flops)),
      element('td', {}, flops ? formatFlops(flops) : ''),
      element('td', {}, formatBytes(sum(costs, 'bytes'))),
      element('td', {}, timed && seconds > 0 && flops / seconds / run.peak_flops > 1e-3 ? formatShare(flops / seconds / run.peak_flops) : ''),
      element('td', {}, formatCount(sum(costs, 'count'))));
  }));
  const occurs = (pass) => pass === 'links' || runs.some((run) => run.parts.some((cost) => cost.pass === pass));
  const legend = element('div', {class: 'legend'}, Object.entries(kPasses).filter(([pass]) => occurs(pass)).map(([pass, name]) =>
    element('span', {}, element('span', {class: 'swatch', style: `background: var(--${pass})`}), name)));
  const clock = runs[0].clock > 0 ? `cycles that the compiler expects of each instruction at ${(runs[0].clock / 1e9).toFixed(2)} GHz`
    : 'the longer of arithmetic and memory traffic at the data sheet’s rates';
  const bound = runs[0].optimal_seconds !== undefined ? ` The compiler’s own lower bound for the whole is ${formatSeconds(runs[0].optimal_seconds)}.` : '';
  return section('Where the step goes', timed
    ? `Time: ${clock}; collectives from their sizes and the machine’s links. A cost model, not a measurement.${bound}`
    : 'Nothing is known about this machine’s speed: bars show floating-point operations.', legend,
    table(['part', '<', timed ? 'time' : '', 'share', 'FLOPs', 'bytes', 'of peak', 'instructions'], rows));
}

// What to look for in the program to see a part.
const partFilter = (part) => ({augmentation: '"augment', 'loss and rest': 'op_name="gradient/"', pooling: '/resnet"'}[part] || part);
const filterLink = (text, label) => element('button', {class: 'link left', onclick: () => showInListing(text)}, label);

function scopesSection(runs) {
  const weight = (cost) => runs[0].compute_seconds !== undefined ? cost.seconds : cost.flops;
  const shown = runs[0].scopes.slice().sort((a, b) => weight(b) - weight(a));
  const other = new Map((runs[1] ? runs[1].scopes : []).map((cost) => [cost.scope, cost]));
  const most = Math.max(...shown.map(weight), 0);
  const rows = shown.slice(0, 200).map((cost) => {
    const cells = [element('td', {class: 'mono'}, filterLink(`op_name="${cost.scope}"`, cost.scope || '(no scope)')),
      element('td', {class: 'bar left thin'}, bar([{value: weight(cost), color: cost.pass}], most)),
      element('td', {}, formatSeconds(cost.seconds || undefined))];
    if (runs[1]) cells.push(element('td', {}, formatSeconds((other.get(cost.scope) || {}).seconds)));
    cells.push(element('td', {}, cost.flops ? formatFlops(cost.flops) : ''), element('td', {}, formatBytes(cost.bytes)),
      element('td', {}, formatCount(cost.count)));
    return element('tr', {}, cells);
  });
  const headings = ['scope', '<', 'time', 'FLOPs', 'bytes', 'instructions'];
  if (runs[1]) headings.splice(3, 0, 'other');
  return section('Scopes', `Names of parts of the model, the costliest first (${Math.min(200, shown.length)} of ${shown.length}); a click searches the program below for one.`,
    element('details', {class: 'card'}, element('summary', {}, 'Show the table'), table(headings, rows)));
}

// The export's own; the other's are on its own page.
function instructionsSection(runs) {
  const rows = runs[0].instructions.map((one) => element('tr', {},
    element('td', {class: 'mono'}, filterLink(`%${one.name} =`, one.name)), element('td', {class: 'left'}, one.opcode),
    element('td', {class: 'left mono'}, one.scope), element('td', {}, formatSeconds(one.seconds || undefined)),
    element('td', {}, one.flops ? formatFlops(one.flops) : ''), element('td', {}, formatBytes(one.bytes)),
    element('td', {}, formatCount(one.times))));
  return section('Instructions', `The costliest first (${rows.length} of ${formatCount(runs[0].total.count)}), without collectives; a fusion counts as one.`,
    element('details', {class: 'card'}, element('summary', {}, 'Show the table'),
      table(['instruction', '<kind', '<scope', 'time', 'FLOPs', 'bytes', 'times'], rows)));
}

const kKindColors = {online: 'forward', target: 'target', momentum: 'update', batch_stats: 'rest', predictor: 'links', batch: 'links',
  temporaries: 'gradient', code: 'rest'};

function memorySection(runs) {
  const whole = Math.max(...runs.map((run) => run.capacity || memoryOf(run)));
  const bars = runs.map((run) => element('tr', {}, element('td', {}, shortName(run)),
    element('td', {class: 'bar left'}, bar(run.memory.map((kind) => ({value: kind.bytes, color: kKindColors[kind.kind] || 'rest',
      title: `${kind.kind}: ${formatBytes(kind.bytes)}`})), whole)),
    element('td', {}, formatBytes(memoryOf(run))),
    element('td', {}, run.capacity ? `of ${formatBytes(run.capacity)}` : '')));
  const kinds = runs[0].memory.map((kind, index) => element('tr', {}, element('td', {},
    element('span', {class: 'swatch', style: `background: var(--${kKindColors[kind.kind] || 'rest'})`}), kind.kind),
    runs.map((run) => element('td', {}, run.memory[index] ? formatBytes(run.memory[index].bytes) : ''))));
  const buffers = runs[0].buffers.map((buffer) => element('tr', {},
    element('td', {class: 'mono'}, filterLink(`%${buffer.name} =`, buffer.name)), element('td', {class: 'left mono'}, buffer.shape),
    element('td', {class: 'left mono'}, buffer.scope), element('td', {}, formatBytes(buffer.bytes)),
    element('td', {}, buffer.at_peak ? 'yes' : '')));
  return section('Memory of one device', 'Arguments by their role in the step, temporaries and code, as the compiler counts them; state is updated in place.',
    table(['export', '<', 'in all', ''], bars), table(['kind', ...runs.map((run) => run.topology || run.platform)], kinds),
    element('details', {class: 'card'}, element('summary', {},
      `The largest buffers (live temporaries reach ${formatBytes(runs[0].peak_bytes)} by this page’s reading of the schedule)`),
    table(['buffer', '<shape', '<scope', 'size with padding', 'alive at the peak'], buffers)));
}

function collectivesSection(runs) {
  const run = runs[0];
  const rows = run.collectives.map((use) => element('tr', {},
    element('td', {class: 'mono'}, filterLink(`%${use.name} =`, use.name)), element('td', {class: 'left'}, use.kind),
    element('td', {class: 'left mono'}, use.scope), element('td', {}, formatBytes(use.bytes)), element('td', {}, formatCount(use.times)),
    element('td', {}, formatCount(use.replicas)), element('td', {class: 'mono'}, use.rings.replace(/ /g, ' × ')),
    element('td', {}, formatSeconds(use.seconds))));
  const total = run.collectives.reduce((sum, use) => sum + use.times * use.bytes, 0);
  const times = run.transfer_seconds === undefined ? '' :
    ` The model gives ${formatSeconds(run.transfer_seconds)} of transfer and ${formatSeconds(run.latency_seconds)} of latency.`;
  return section('Collectives', `${run.collectives.length} of them move ${formatBytes(total)} a step.${times}`,
    element('details', {class: 'card'}, element('summary', {}, 'Show the table'),
      table(['instruction', '<kind', '<scope', 'size', 'times', 'replicas', 'rings', 'time (model)'], rows)));
}

const configSection = (runs) => section('Config', 'Resolved: every number that the step depends on.',
  runs.map((run) => element('details', {class: 'card'}, element('summary', {}, shortName(run)), element('pre', {}, run.config))));
