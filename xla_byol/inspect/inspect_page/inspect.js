const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.exports;
document.title = `${runs.map(shortName).join(' against ')}: compiled step`;
document.getElementById('page').append(
  element('h1', {}, runs.length > 1 ? 'Two compiled steps' : 'A compiled step'),
  ...runs.map((run, index) => element('p', {class: 'soft'}, index === 1 ? 'other: ' : '',
    `${shortName(run)} · ${formatCount(run.devices)} devices · ${run.folder}`)),
  tiles(runs), partsSection(data), scopesSection(runs), memorySection(runs), collectivesSection(runs), listing(runs), configSection(runs));
