/* The dashboard: each page is made of one document under /api. */
(function () {
'use strict';

/* "#package?name=/Game/A": the page, and its parameters. */
function address() {
  const [page, query] = location.hash.slice(1).split(/\?(.*)/s);
  return { page: page || 'overview', query: new URLSearchParams(query || '') };
}
function link(page, parameters) {
  const query = new URLSearchParams(parameters || {});
  const target = address().query.get('target');
  if (target) query.set('target', target);
  return `#${page}${query.toString() ? `?${query}` : ''}`;
}
function apiPath(name, parameters) {
  const query = new URLSearchParams(parameters || {});
  const target = address().query.get('target');
  if (target) query.set('target', target);
  return `/api/${name}?${query}`;
}
async function api(name, parameters) {
  const response = await fetch(apiPath(name, parameters));
  const document = await response.json();
  if (!response.ok)
    throw Object.assign(new Error(document.error || `the server said ${response.status}`), { status: response.status, document });
  return document;
}

const section = (title, ...content) => el('section', {}, title && el('h2', {}, title), content);
const packageLink = (name) => el('a', { href: link('package', { name }) }, short(name, 300));

/* A table of nodes: columns of {name, cell, number, kind}. Kind "brief" is never broken into lines, "long" keeps
 * some width beside columns that take all they get. */
function table(caption, columns, rows) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', { class: 'sr' }, caption),
      el('thead', {}, el('tr', {}, columns.map((c) => el('th', { scope: 'col', class: c.number ? 'n' : c.kind }, c.name)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, columns.map((c) =>
        el('td', { class: c.number ? 'n' : c.kind }, c.cell(row))))))));
}

/* ---- pages ---- */

const cookColumns = [
  { name: 'cook', number: true, cell: (c) => el('a', { href: link('cook', { id: c.id }) }, String(c.id)) },
  { name: 'kind', cell: (c) => c.kind },
  { name: 'started', cell: (c) => when(c.started) },
  { name: 'took', number: true, cell: (c) => (c.ended ? seconds(c.seconds) : 'not finished') },
  { name: 'cooked', number: true, cell: (c) => figure(c, 'cooked') },
  { name: 'skipped', number: true, cell: (c) => figure(c, 'skipped') },
  { name: 'failed', number: true, cell: (c) => figure(c, 'failed') },
];
function figure(cook, key) {
  const value = cook.summary && cook.summary[key];
  return value === undefined || value === null ? '' : count(value);
}

async function overview() {
  const data = await api('overview');
  const packages = data.packages;
  const cards = [['packages', packages.known, 'known in the project'], ['kept', packages.kept, 'have a cooked result'],
    ['failed', packages.failed, 'failed when last cooked'],
    ['opted out', packages.opted_out, 'are cooked every time, by class']];
  const parts = [section(null, el('h2', {}, `${data.project} for ${data.target}`),
    el('div', { class: 'cards' }, cards.map(([label, value, detail]) =>
      el('div', { class: `card ${label === 'failed' && value ? 'bad' : ''}` }, el('span', {}, label),
        el('b', {}, count(value)), el('span', { class: 'soft' }, detail))))),
  section('Last cooks', table('Last cooks', cookColumns, data.cooks))];
  parts.push(section('Findings of the last validation', findingsTable(await api('findings', { limit: 10 }))));
  return parts;
}

async function cooks() {
  const data = await api('cooks');
  return [section('Cooks', table('Cooks', cookColumns, data.cooks))];
}

async function cook(query) {
  const data = await api('cook', { id: query.get('id') || '' });
  const facts = data.facts || {};
  return [section(`Cook ${data.cook.id}`, table('The cook', cookColumns, [data.cook]),
    el('h3', {}, 'How it was made'), el('dl', { class: 'pair' },
      ['command_line', 'host', 'time_zone', 'processors'].filter((key) => facts[key] !== undefined)
        .flatMap((key) => [el('dt', {}, words(key)), el('dd', {}, short(facts[key], 2000))])),
    el('h3', {}, 'Class code'), table('Plugins', [
      { name: 'plugin', cell: (p) => short(p.name, 200) },
      { name: 'build id', cell: (p) => el('code', {}, short(p.build_id, 80)) }], facts.plugins || []))];
}

const KINDS = ['', 'kept', 'failed', 'opted out', 'not cooked', 'deleted'];
async function packages(query) {
  const parameters = { q: query.get('q') || '', kind: query.get('kind') || '', sort: query.get('sort') || 'name',
    offset: query.get('offset') || '0', limit: '100' };
  const data = await api('packages', parameters);
  const go = (changes) => { location.hash = link('packages', { ...parameters, offset: '0', ...changes }); };
  const offset = data.offset, shownCount = data.packages.length;
  let timer;
  const search = el('input', { type: 'search', value: parameters.q, placeholder: 'part of a name',
    'aria-label': 'Search the packages', id: 'search',
    oninput: (event) => { clearTimeout(timer); timer = setTimeout(() => go({ q: event.target.value }), 200); } });
  const pick = (label, key, options) => el('label', {}, label, el('select', {
    onchange: (event) => go({ [key]: event.target.value }) },
  options.map((option) => el('option', { value: option, selected: option === parameters[key] }, option || 'all'))));
  return [section('Packages', el('div', { class: 'filters' }, search, pick('kind', 'kind', KINDS),
    pick('sort by', 'sort', ['name', 'size', 'seconds', 'cook'])),
  table('Packages', [
    { name: 'package', cell: (p) => packageLink(p.name) },
    { name: 'kind', cell: (p) => el('span', { class: `kind-${p.kind}` }, p.kind) },
    { name: 'size', number: true, cell: (p) => (p.bytes === undefined ? '' : bytes(p.bytes)) },
    { name: 'took', number: true, cell: (p) => (p.seconds === undefined ? '' : seconds(p.seconds)) },
    { name: 'cook', number: true, cell: (p) => (p.cook ? el('a', { href: link('cook', { id: p.cook }) }, String(p.cook)) : '') },
  ], data.packages),
  el('div', { class: 'pager' },
    offset > 0 && el('a', { href: link('packages', { ...parameters, offset: Math.max(0, offset - 100) }) }, 'previous'),
    el('span', { class: 'soft' }, shownCount ? `${count(offset + 1)} to ${count(offset + shownCount)} of ${count(data.total)}` : 'none'),
    offset + shownCount < data.total && el('a', { href: link('packages', { ...parameters, offset: offset + 100 }) }, 'next')))];
}

async function packagePage(query) {
  const name = query.get('name') || '';
  const data = await api('package', { name });
  const p = data.package;
  const facts = el('dl', { class: 'pair' });
  const pair = (key, value) => value !== undefined && facts.append(el('dt', {}, key), el('dd', {}, value));
  pair('kind', p.kind);
  pair('source', data.source && `${shown(data.source)} (${bytes(data.source_bytes)})`);
  pair('cooked', p.bytes !== undefined ? `${bytes(p.bytes)} in ${seconds(p.seconds)}, by cook ${p.cook}` : undefined);
  pair('key', data.key && el('code', {}, data.key));
  pair('bytes', data.hash && el('span', {}, el('code', {}, data.hash), ' ',
    el('a', { href: apiPath('package/bytes', { name }), download: true }, 'download')));
  const parts = [section(shown(name), facts)];
  if (data.messages.length) parts.push(section('Messages of its last cook', el('ul', { class: 'list' },
    data.messages.map((m) => el('li', {}, `${m.severity}: ${shown(m.text)}`)))));
  parts.push(section(`Objects (${count(data.objects.length)})`, table('Objects', [
    { name: 'object', cell: (o) => short(o.path, 300) }, { name: 'class', cell: (o) => short(o.class, 200) }], data.objects)));
  parts.push(section(`Build dependencies (${count(data.dependency_count)})`, table('Build dependencies', [
    { name: 'kind', cell: (d) => d.kind }, { name: 'key', cell: (d) => short(d.key, 400) },
    { name: 'value', cell: (d) => el('code', {}, short(d.value, 200)) },
    { name: 'from', cell: (d) => short(d.where || '', 200) }], data.dependencies)));
  parts.push(el('div', { class: 'columns' },
    section(`Refers to (${count(data.reference_count)})`, el('ul', { class: 'list' }, data.references.map((r) =>
      el('li', {}, r.package ? packageLink(r.package) : shown(r.path), ` (${r.kind}${r.package ? '' : ', leads nowhere'})`)))),
    section(`Referred to by (${count(data.referrer_count)})`, el('ul', { class: 'list' },
      data.referrers.map((r) => el('li', {}, packageLink(r)))))));
  if (data.additional_files.length) parts.push(section('Additional files', table('Additional files', [
    { name: 'file', cell: (f) => short(f.name, 300) },
    { name: 'size', number: true, cell: (f) => bytes(f.bytes) }], data.additional_files)));
  if ((data.history || []).length) parts.push(section('History', table('History', historyColumns, data.history)));
  if ((data.findings || []).length) parts.push(section('Findings', findingsTable(data)));
  return parts;
}

const historyColumns = [
  { name: 'cook', number: true, cell: (h) => el('a', { href: link('cook', { id: h.cook }) }, String(h.cook)) },
  { name: 'what', cell: (h) => h.what },
  { name: 'key', cell: (h) => el('code', {}, h.key) },
  { name: 'bytes', cell: (h) => el('code', {}, h.hash) },
];

function findingsTable(data) {
  if (data.run === null) return el('p', {}, 'Nothing was validated yet; run: ', el('code', {}, 'cook incremental-validate'));
  if (data.findings.length === 0) return el('p', {}, 'Nothing was found.');
  return table('Findings', [
    { name: 'verdict', kind: 'brief', cell: (f) => el('span', { class: `badge v-${f.verdict}` }, VERDICTS[f.verdict] || f.verdict) },
    { name: 'state', kind: 'brief', cell: (f) => f.state || '' },
    { name: 'package', kind: 'long', cell: (f) => packageLink(f.package) },
    { name: 'where', kind: 'long', cell: (f) => short(f.property || '', 200) },
    { name: 'cause', kind: 'long', cell: (f) => short(f.cause || '', 300) },
    { name: 'first seen', kind: 'brief', cell: (f) => when(f.first_seen) },
    { name: 'id', kind: 'brief', cell: (f) => el('code', {}, f.id) }], data.findings);
}

async function findings() {
  const data = await api('findings', { limit: 500 });
  return [section('Findings of the last validation', data.run !== null && el('p', { class: 'soft' },
    `run ${data.run.id}, ${when(data.run.started)}; ${count(data.total)} in all`), findingsTable(data))];
}

async function runs() {
  const data = await api('history', { limit: 200 });
  return [section('Runs', table('Runs', [
    { name: 'run', number: true, cell: (r) => String(r.id) },
    { name: 'verb', cell: (r) => r.verb },
    { name: 'target', cell: (r) => short(r.target, 60) },
    { name: 'started', cell: (r) => when(r.started) },
    { name: 'took', number: true, cell: (r) => seconds(r.seconds) },
    { name: 'exit status', number: true, cell: (r) => String(r.exit_status) },
    { name: 'content', cell: (r) => el('code', {}, short(r.content_revision || '', 12)) },
    { name: 'summary', cell: (r) => Object.entries(r.summary || {}).filter(([, v]) => typeof v === 'number' && v)
      .map(([k, v]) => (k === 'seconds' ? '' : `${words(k)} ${count(v)}`)).filter(Boolean).join(', ') }], data.runs))];
}

async function artifacts() {
  const data = await api('artifacts');
  const rows = data.artifacts.flatMap((a) => a.files.map((file) => ({ artifact: a.name, ...file })));
  return [section('Cook artifacts', rows.length ? table('Cook artifacts', [
    { name: 'artifact', cell: (f) => short(f.artifact, 100) },
    { name: 'file', cell: (f) => el('a', { href: apiPath('artifact/bytes', { name: f.name }), download: true }, short(f.name, 200)) },
    { name: 'size', number: true, cell: (f) => bytes(f.bytes) },
    { name: 'hash', cell: (f) => el('code', {}, f.hash) }], rows) : el('p', {}, 'None yet; they are made at the end of a cook.'))];
}

const pages = { overview: [overview, 'Overview'], packages: [packages, 'Packages'], cooks: [cooks, 'Cooks'],
  findings: [findings, 'Findings'], runs: [runs, 'Runs'], artifacts: [artifacts, 'Artifacts'],
  package: [packagePage], cook: [cook] };

/* ---- moving between them ---- */

const TROUBLES = { 404: 'There is no such thing', 503: 'The store cannot be read' };
function cannotShow(error) {
  const { advice } = error.document || {};
  const [text, command] = (advice || '').split(/run: (?=cook )/);
  return section(TROUBLES[error.status] || 'That cannot be shown', el('p', {}, shown(error.message)),
    advice && el('p', {}, shown(command ? `${text}run: ` : text), command && el('code', {}, shown(command))));
}

let turn = 0;
async function show() {
  const { page, query } = address();
  const [make] = pages[page] || pages.overview;
  const mine = ++turn;
  const hadSearch = document.activeElement && document.activeElement.id === 'search';
  for (const a of $('nav').children) {
    if (a.dataset.page === page) a.setAttribute('aria-current', 'page'); else a.removeAttribute('aria-current');
    a.href = link(a.dataset.page);
  }
  let content;
  try { content = await make(query); } catch (error) { content = [cannotShow(error)]; }
  if (mine !== turn) return; /* a later page is on its way */
  $('page').replaceChildren(...content);
  document.title = `${(pages[page] || pages.overview)[1] || query.get('name') || 'Cookproof'} · Cookproof`;
  if (hadSearch && $('search')) { const s = $('search'); s.focus(); s.setSelectionRange(s.value.length, s.value.length); }
}

async function targets() {
  let data;
  try { data = await api('overview'); } catch (error) { data = error.document || {}; }
  if (data.project) $('title').textContent = short(data.project, 60);
  const names = data.targets || [];
  if (data.target && !names.includes(data.target)) names.unshift(data.target);
  $('target').replaceChildren(...names.map((t) => el('option', { value: t, selected: t === data.target }, short(t, 60))));
}
function pickTarget(event) {
  const { page, query } = address();
  query.set('target', event.target.value);
  location.hash = `#${page}?${query}`;
  watch();
}

/* ---- the cook that runs now ---- */

const PHASES = { open: 'starting the workers', scan: 'scanning what changed on disk', evaluate: 'evaluating dependencies',
  plan: 'deciding what to cook', cook: 'cooking', validate: 'recooking what would be skipped', judge: 'judging what differs',
  artifacts: 'making cook artifacts', finish: 'writing down what was cooked' };
const ofTotal = (done, total) => `${count(done)} of ${count(total)}`;
/* Of what still runs: whole seconds. */
const lasting = (s) => (s < 120 ? `${Math.floor(s)} s` : seconds(s));
const figuresText = (p) => `cooked ${count(p.cooked)}, skipped ${count(p.skipped)}, failed ${count(p.failed)}`;

function phaseText(p) {
  const name = PHASES[p.phase] || short(p.phase || '', 60);
  if (p.phase === 'scan') return p.total ? `${name}: ${ofTotal(p.done, p.total)} packages` : name;
  if (p.phase !== 'cook' && p.phase !== 'validate') return name;
  const slow = p.slowest ? `; now ${short(p.slowest, 120)}${p.slowest_seconds >= 1 ? `, for ${lasting(p.slowest_seconds)}` : ''}` : '';
  return `${name} ${ofTotal(p.reached - p.left, p.reached)}: ${figuresText(p)}${slow}`;
}
function outcomeText(p) {
  if (p.outcome === 'killed') return `It was killed while ${phaseText(p)}. What it had committed is kept: run cook incremental.`;
  return p.outcome === 'error' ? `It came to no end: ${short(p.error || '', 2000)}` : `${figuresText(p)}.`;
}
function showProgress(p) {
  const fraction = p.phase === 'scan' ? p.done / p.total : (p.reached - p.left) / p.reached;
  const known = p.running && (p.phase === 'cook' || p.phase === 'validate' || p.phase === 'scan') && Number.isFinite(fraction);
  $('running-title').textContent = p.running ? `cook ${p.verb} has been running for ${lasting(p.seconds)}`
    : `cook ${p.verb} ${{ killed: 'was killed', error: 'ended with an error' }[p.outcome] || 'ended'} after ${seconds(p.seconds)}`;
  $('running-text').textContent = p.running ? phaseText(p) : outcomeText(p);
  $('running').classList.toggle('bad', !p.running && (p.outcome !== 'done' || p.failed > 0));
  $('running-bar').hidden = !p.running;
  if (known) $('running-bar').value = fraction; else $('running-bar').removeAttribute('value');
  $('running-close').hidden = p.running;
  $('running').hidden = false;
}

/* A cook is shown while it runs, and its outcome until it is put away. One that ended before this page came is
 * in the list of cooks, but for one that was killed: nothing else tells of that. */
let source, retry;
function watch() {
  clearTimeout(retry);
  if (source) source.close();
  source = new EventSource(apiPath('events'));
  $('running').hidden = true;
  let wasRunning = false;
  source.addEventListener('progress', (event) => {
    const p = JSON.parse(event.data);
    if (p.running || wasRunning || p.outcome === 'killed') showProgress(p);
    if (wasRunning && !p.running) { say($('running-title').textContent); targets(); show(); }
    wasRunning = p.running;
  });
  /* A browser tries again by itself where a connection breaks, not where it was refused. */
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(watch, 5000);
  });
}

initTheme();
$('nav').append(...Object.entries(pages).filter(([, page]) => page[1]).map(([name, page]) =>
  el('a', { href: `#${name}`, 'data-page': name }, page[1])));
addEventListener('hashchange', show);
document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); $('main').focus(); });
$('target').addEventListener('change', pickTarget);
$('running-close').addEventListener('click', () => { $('running').hidden = true; });
targets();
show();
watch();
}());
