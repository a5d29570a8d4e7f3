// The program, line by line; only what is in view is in the document.
const kRowHeight = 19;
let showInListing = () => {};

// Text with the first place of `query`, which is in lower case, marked.
function marked(text, query) {
  const at = query ? text.toLowerCase().indexOf(query) : -1;
  if (at < 0) return document.createTextNode(text);
  return element('span', {}, text.slice(0, at), element('mark', {}, text.slice(at, at + query.length)), text.slice(at + query.length));
}

// A line in pieces: what it makes and how stands out, what follows from the source is quiet.
function listingRow(line, number, query) {
  const node = element('div', {class: 'row'}, element('span', {class: 'number'}, String(number)));
  const parts = /^(\s+(?:ROOT )?%\S+ = .*? )([a-z][a-z0-9-]*)(\(.*?\))(, .*)?$/.exec(line);
  if (parts && line.startsWith('  ')) {
    node.append(marked(parts[1], query), element('span', {class: 'op'}, marked(parts[2], query)), marked(parts[3], query),
      element('span', {class: 'tail'}, marked(parts[4] || '', query)));
  } else {
    if (line && !line.startsWith(' ') && line !== '}') node.classList.add('head');
    node.append(marked(line, query));
  }
  return node;
}

function listing(runs) {
  const texts = runs.map((run, index) => document.getElementById(`program${index}`).textContent.split('\n'));
  let current = 0, lines = texts[0], matches = null, query = '';
  const spacer = element('div', {class: 'spacer'});
  const view = element('div', {class: 'listing', tabindex: '0'}, spacer);
  const search = element('input', {type: 'search', placeholder: 'Search names, ops, shapes, scopes …', 'aria-label': 'Search the program'});
  const found = element('span', {class: 'soft'});
  let width = 0;

  function draw() {
    const count = matches ? matches.length : lines.length;
    const first = Math.max(0, Math.floor(view.scrollTop / kRowHeight) - 10);
    const last = Math.min(count, first + Math.ceil(view.clientHeight / kRowHeight) + 20);
    const rows = [];
    for (let i = first; i < last; ++i) {
      const index = matches ? matches[i] : i;
      const node = listingRow(lines[index], index + 1, query);
      node.style.top = `${i * kRowHeight}px`;
      rows.push(node);
    }
    spacer.replaceChildren(...rows);
    for (const node of rows) width = Math.max(width, node.scrollWidth);
    spacer.style.width = `${width}px`;
  }
  function refresh() {
    query = search.value.toLowerCase();
    matches = null;
    if (query) {
      matches = [];
      for (let i = 0; i < lines.length; ++i) if (lines[i].toLowerCase().includes(query)) matches.push(i);
    }
    found.textContent = matches ? `${formatCount(matches.length)} of ${formatCount(lines.length)} lines` : `${formatCount(lines.length)} lines`;
    spacer.style.height = `${(matches ? matches.length : lines.length) * kRowHeight}px`;
    const entry = lines.findIndex((line) => line.startsWith('ENTRY '));
    view.scrollTop = matches ? 0 : Math.max(0, entry - 1) * kRowHeight;
    draw();
  }
  // A double click on a match shows it in its place.
  view.addEventListener('dblclick', (event) => {
    const target = event.target.closest('.row');
    if (!target || !matches) return;
    const index = Number(target.querySelector('.number').textContent) - 1;
    search.value = '';
    refresh();
    view.scrollTop = Math.max(0, (index - 8) * kRowHeight);
  });
  view.addEventListener('scroll', draw);
  let timer = 0;
  search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(refresh, 120); });
  const choose = runs.length < 2 ? [] : runs.map((run, index) => element('button', {'aria-pressed': String(index === 0), onclick: (event) => {
    for (const button of event.target.parentNode.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button === event.target));
    current = index;
    lines = texts[current];
    refresh();
  }}, shortName(run)));
  showInListing = (text) => {
    search.value = text;
    refresh();
    section_.scrollIntoView({behavior: 'smooth'});
  };
  const section_ = section('Program', 'After the compiler’s passes, in the order in which it runs; a double click on a found line shows its surroundings.',
    element('div', {class: 'controls'}, search, found, choose), view);
  requestAnimationFrame(refresh);
  return section_;
}
