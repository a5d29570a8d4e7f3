const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.exports;
document.title = `${runs.map(shortName).join(' against ')}: compiled step`;
document.getElementById('page').append(
  element('header', {}, element('h1', {}, runs.length > 1 ? 'Two compiled steps' : 'A compiled step'), themeButton()),
  ...runs.map((run, index) => element('p', {class: 'soft'}, index === 1 ? 'other: ' : '',
    `${shortName(run)} · ${formatCount(run.devices)} devices · ${data.folders[index]}`)),
  tiles(runs), partsSection(data), scopesSection(runs), instructionsSection(runs), memorySection(runs), collectivesSection(runs),
  listing(runs), configSection(runs));
