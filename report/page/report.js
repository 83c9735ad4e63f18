/* The report page. */
(function () {
'use strict';

const report = JSON.parse(document.getElementById('data').textContent);
/* ---- the summary ---- */

function summary() {
  const run = report.run || {};
  document.title = `${report.headline} · ${report.project} for ${report.target}`;
  $('title').textContent = short(`${report.project} for ${report.target}`, 80);
  const facts = [run.verb && `cook ${run.verb}`, when(run.started), run.seconds !== undefined &&
    `took ${seconds(run.seconds)}`, run.content_revision && `content ${short(run.content_revision, 16)}`,
    run.code_revision && `code ${short(run.code_revision, 16)}`].filter(Boolean);
  const good = report.verdict === 'clean';
  const section = $('summary');
  section.append(el('div', { class: `banner ${good ? '' : 'bad'}` },
    el('h2', { id: 'verdict' }, report.headline),
    el('p', { class: 'facts' }, facts.map((fact) => el('span', {}, fact)))));
  section.append(el('div', { class: 'cards' }, (report.numbers || []).map((number) =>
    el('div', { class: `card ${number.level}` }, el('span', {}, number.label),
      el('b', {}, number.text), el('span', { class: 'soft' }, number.detail)))));
  const states = report.states || {};
  section.append(el('ul', { class: 'states', 'aria-label': 'Findings by state' },
    ['new', 'known', 'masked', 'gone'].map((state) => el('li', {},
      el('button', { type: 'button', class: 'chip', 'data-state': state, 'aria-pressed': 'false',
        onclick: () => { filters.state = filters.state === state ? '' : state; applyFilters(); } },
      el('strong', {}, count(states[state])), state)))));
}

/* ---- the trend ---- */

function legend(entries) {
  return el('ul', { class: 'legend' }, entries.map(([color, text]) => {
    const box = el('i');
    box.style.background = color;
    return el('li', {}, box, text);
  }));
}
/* Drawn at the width it is shown at, so that its texts are of one size on a phone too. */
const widthIn = (section) => Math.max(280, Math.min(900, section.clientWidth - 34));
function svgIn(parent, width, height, label) {
  const svg = d3.select(parent).append('svg').attr('viewBox', `0 0 ${width} ${height}`)
    .attr('role', 'img').attr('aria-label', label);
  return svg;
}

function trend() {
  const runs = report.trend || [];
  if (runs.length < 2) return;
  const kinds = ['false_skip', 'indeterminate', 'both', 'vanished_replay'];
  const section = $('trend');
  section.hidden = false;
  section.append(el('h2', { id: 'trend-title' }, `The last ${count(runs.length)} validations`));
  const width = widthIn(section), height = 170, left = 42, bottom = 28;
  const most = d3.max(runs, (run) => d3.sum(kinds, (kind) => run[kind])) || 1;
  const x = d3.scaleBand().domain(runs.map((_, i) => i)).range([left, Math.min(width, left + 72 * runs.length)]).padding(0.2);
  const y = d3.scaleLinear().domain([0, most]).nice().range([height - bottom, 8]);
  const svg = svgIn(section, width, height, `Findings of each of the last ${runs.length} validations, ` +
    `oldest first: ${runs.map((run) => d3.sum(kinds, (kind) => run[kind])).join(', ')}`);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${left},0)`)
    .call(d3.axisLeft(y).ticks(Math.min(4, most), 'd').tickSize(-(width - left)));
  runs.forEach((run, i) => {
    let base = 0;
    for (const kind of kinds) {
      if (!run[kind]) continue;
      svg.append('rect').attr('x', x(i)).attr('width', x.bandwidth()).attr('y', y(base + run[kind]))
        .attr('height', y(base) - y(base + run[kind])).style('fill', `var(--${kind})`)
        .append('title').text(`${when(run.started)}: ${plural(run[kind], VERDICTS[kind])}`);
      base += run[kind];
    }
    if (base === 0)
      svg.append('circle').attr('cx', x(i) + x.bandwidth() / 2).attr('cy', y(0) - 4).attr('r', 3)
        .style('fill', 'var(--good)').append('title').text(`${when(run.started)}: clean`);
    if (i % Math.ceil(runs.length * 44 / (width - left)) === 0)
      svg.append('text').attr('class', 'soft').attr('x', x(i) + x.bandwidth() / 2)
        .attr('y', height - 8).attr('text-anchor', 'middle').text((run.started || '').slice(5, 10));
  });
  section.append(legend(kinds.filter((kind) => runs.some((run) => run[kind]))
    .map((kind) => [`var(--${kind})`, VERDICTS[kind]]).concat([['var(--good)', 'clean']])));
}

/* ---- the findings ---- */

const filters = { text: '', verdict: '', state: '', owner: '', group: 'cause', sort: 'package' };
const PAGE = 100;
const findings = (report.findings || []).map((finding, index) => ({ finding, index,
  hay: [finding.id, finding.package, finding.verdict, finding.state, finding.group, finding.owner,
    (finding.classes || []).join(' '), causeOf(finding), finding.fix,
    ...(finding.differences || []).slice(0, 5).map((d) => d.property)]
    .join('\n').toLowerCase() }));

function causeOf(finding) {
  const cause = (finding.causes || [])[0];
  return cause && cause.kind !== 'unknown' ? `${words(cause.kind)}: ${cause.what}` : 'cause unknown';
}
const groupings = {
  cause: causeOf,
  class: (finding) => (finding.classes || []).join(', ') || 'no class',
  function: (finding) => finding.group || 'no callstack',
  owner: (finding) => finding.owner || 'no owner',
  none: () => '',
};
const sorts = {
  package: (a, b) => a.index - b.index,
  'first seen': (a, b) => (b.finding.first_seen || '').localeCompare(a.finding.first_seen || '') ||
    a.index - b.index,
  differences: (a, b) => (b.finding.differences || []).length - (a.finding.differences || []).length ||
    a.index - b.index,
};

function matches(entry) {
  const finding = entry.finding;
  return (!filters.verdict || finding.verdict === filters.verdict) &&
    (!filters.state || finding.state === filters.state) &&
    (!filters.owner || (finding.owner || '') === filters.owner) &&
    filters.text.toLowerCase().split(/\s+/).every((word) => entry.hay.includes(word));
}

function choice(label, key, options) {
  return el('label', {}, label, el('select', { 'data-filter': key,
    onchange: (event) => { filters[key] = event.target.value; applyFilters(); } },
  options.map(([value, text]) => el('option', { value }, text))));
}

function findingsSection() {
  const section = $('findings');
  const owners = [...new Set(findings.map((entry) => entry.finding.owner).filter(Boolean))].sort();
  const verdicts = Object.keys(VERDICTS).filter((v) => findings.some((e) => e.finding.verdict === v));
  section.append(el('h2', { id: 'findings-title' }, 'Findings'));
  if (findings.length === 0) {
    section.append(el('p', {}, report.empty || 'Nothing was found.'));
    return;
  }
  section.append(el('div', { class: 'filters', role: 'search' },
    el('input', { type: 'search', id: 'search', placeholder: 'package, class, property, function, cause',
      'aria-label': 'Search the findings',
      oninput: (event) => { filters.text = event.target.value; later(applyFilters); } }),
    choice('verdict', 'verdict', [['', 'all'], ...verdicts.map((v) => [v, VERDICTS[v]])]),
    choice('state', 'state', [['', 'all'], ...['new', 'known', 'masked', 'gone'].map((s) => [s, s])]),
    owners.length > 0 && choice('owner', 'owner', [['', 'all'], ...owners.map((o) => [o, short(o, 40)])]),
    choice('group by', 'group', Object.keys(groupings).map((g) => [g, g])),
    choice('sort by', 'sort', Object.keys(sorts).map((s) => [s, s]))));
  section.append(el('p', { id: 'matched', class: 'soft', role: 'status' }), el('div', { id: 'list' }));
  if (report.dropped_findings)
    section.append(el('p', { class: 'soft' }, `${plural(report.dropped_findings, 'more finding')} ` +
      `left out of this page; all of them are in the JSON document of the validation.`));
}

let timer;
function later(what) { clearTimeout(timer); timer = setTimeout(what, 80); }

function applyFilters() {
  for (const select of document.querySelectorAll('[data-filter]'))
    select.value = filters[select.dataset.filter];
  for (const chip of document.querySelectorAll('[data-state]'))
    chip.setAttribute('aria-pressed', String(chip.dataset.state === filters.state));
  if ($('search')) $('search').value = filters.text;
  rememberFilters();
  renderFindings();
}

function renderFindings(reveal) {
  const list = $('list');
  if (!list) return;
  const selected = findings.filter(matches).sort(sorts[filters.sort] || sorts.package);
  const groups = new Map();
  for (const entry of selected) {
    const name = groupings[filters.group](entry.finding);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(entry);
  }
  const ordered = [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  $('matched').textContent = selected.length === findings.length ?
    `${plural(selected.length, 'finding')} in ${plural(ordered.length, 'group')}` :
    `${count(selected.length)} of ${plural(findings.length, 'finding')} match`;
  list.replaceChildren();
  showGroups(list, ordered, 0, reveal);
}

const GROUP_PAGE = 50;
function showGroups(list, ordered, from, reveal) {
  const to = Math.min(ordered.length, from + GROUP_PAGE);
  for (let i = from; i < to; i++) list.append(groupNode(ordered[i][0], ordered[i][1], ordered.length, reveal));
  if (to < ordered.length)
    list.append(el('button', { type: 'button', class: 'more', onclick: (event) => {
      event.target.remove();
      showGroups(list, ordered, to);
    } }, `Show ${plural(Math.min(GROUP_PAGE, ordered.length - to), 'more group')} of ` +
      count(ordered.length - to)));
}

function groupNode(name, entries, groupCount, reveal) {
  const box = el('div', { class: 'group' });
  if (filters.group !== 'none')
    box.append(el('h3', {}, el('span', {}, short(name, 300)), el('span', { class: 'soft' }, count(entries.length))));
  const fixes = [...new Set(entries.map((entry) => entry.finding.fix).filter(Boolean))];
  if (filters.group === 'cause' && fixes.length === 1)
    box.append(el('p', { class: 'fix' }, el('strong', {}, 'Fix: '), short(fixes[0], 2000)));
  let first = groupCount > 8 ? 10 : PAGE;
  if (reveal) first = Math.max(first, entries.findIndex((entry) => entry.finding.id === reveal) + 1);
  showEntries(box, entries, 0, first);
  return box;
}

function showEntries(box, entries, from, limit) {
  const to = Math.min(entries.length, from + limit);
  for (let i = from; i < to; i++) box.append(findingNode(entries[i].finding));
  if (to < entries.length)
    box.append(el('button', { type: 'button', class: 'more', onclick: (event) => {
      event.target.remove();
      showEntries(box, entries, to, PAGE);
    } }, `Show ${count(Math.min(PAGE, entries.length - to))} more of ${count(entries.length - to)}`));
}

function firstDifference(finding) {
  const difference = (finding.differences || [])[0];
  if (!difference) return finding.detail ? finding.detail.split('\n')[0] : '';
  const name = nameOf(difference);
  const value = difference.old_value !== null && difference.new_value !== null ?
    `${difference.old_value} → ${difference.new_value}` : '';
  return [name, value].filter(Boolean).join(': ');
}

function findingNode(finding) {
  const node = el('details', { class: 'finding', id: `f-${finding.id}` },
    el('summary', {},
      el('span', { class: 'badges' }, el('span', { class: `badge v-${finding.verdict}` },
        finding.verdict === 'both' ? 'false skip + indet.' : VERDICTS[finding.verdict] || finding.verdict)),
      el('span', { class: 'package' }, short(finding.package, 300)),
      el('span', { class: 'soft' }, finding.state),
      el('span', { class: 'what' }, short(firstDifference(finding), 240))));
  node.addEventListener('toggle', () => {
    if (node.open && !node.querySelector('.body')) node.append(findingBody(finding));
    if (node.open) setHash({ finding: finding.id });
  });
  return node;
}

function pair(list, name, value) {
  if (value === null || value === undefined || value === '') return;
  list.append(el('dt', {}, name), el('dd', {}, typeof value === 'string' ? short(value, 4000) : value));
}

function findingBody(finding) {
  const body = el('div', { class: 'body' });
  const facts = el('dl', { class: 'pair' });
  pair(facts, 'class', (finding.classes || []).join(', '));
  for (const cause of finding.causes || []) {
    const evidence = [].concat(cause.evidence || []);
    pair(facts, 'cause', el('div', {}, el('strong', {}, words(cause.kind)), `: ${short(cause.what, 2000)}`,
      evidence.length > 0 && el('ul', {}, evidence.map((line) =>
        el('li', { class: 'soft' }, short(typeof line === 'string' ? line : JSON.stringify(line), 2000))))));
  }
  if (!(finding.causes || []).length) pair(facts, 'cause', 'unknown');
  pair(facts, 'fix', finding.fix);
  pair(facts, 'owner', finding.owner);
  pair(facts, 'first seen', when(finding.first_seen));
  pair(facts, 'id', el('span', {}, el('code', {}, finding.id), ' ', el('a', { href: `#finding=${finding.id}` }, 'link')));
  body.append(facts);
  if ((finding.unstable || []).length)
    body.append(el('p', {}, 'Recooks of the same inputs disagree about: ', finding.unstable.map(shown).join(', ')));
  body.append(differencesNode(finding));
  body.append(picturesNode(finding));
  if (finding.detail) body.append(el('h4', {}, 'What else differs'), el('pre', {}, shown(finding.detail)));
  if (finding.notes) body.append(el('h4', {}, 'Notes of the class'), el('pre', {}, shown(finding.notes)));
  if (finding.reproduce) body.append(el('h4', {}, 'Reproduce'), copyButton(finding.reproduce));
  return body;
}

function picturesNode(finding) {
  const box = el('div');
  for (const picture of finding.shown_pictures || []) {
    if (!/^data:image\/png;base64,[A-Za-z0-9+/=]*$/.test(picture.data)) continue;
    const file = shown(String(picture.name).split('/').pop());
    box.append(el('figure', {}, el('img', { src: picture.data,
      alt: `kept picture, new picture, and where they differ: ${short(file, 200)}` }),
    el('figcaption', { class: 'soft' }, `kept, new, and where they differ: ${short(file, 200)}`)));
  }
  if (finding.pictures_left_out)
    box.append(el('p', { class: 'soft' }, `${plural(finding.pictures_left_out, 'more picture')} not in this page`));
  return box;
}

function differencesNode(finding) {
  const all = finding.differences || [];
  const box = el('div');
  const own = all.filter((difference) => difference.consequence_of === null ||
    difference.consequence_of === undefined);
  own.forEach((difference) => {
    const index = all.indexOf(difference);
    box.append(differenceNode(difference, all.filter((other) => other.consequence_of === index)));
  });
  if (finding.dropped_differences)
    box.append(el('p', { class: 'soft' }, `${plural(finding.dropped_differences, 'more difference')} not shown`));
  return box;
}

/* A property's path begins with its object. */
function nameOf(difference) {
  return difference.property || difference.object || difference.section || 'bytes';
}

function marked(text) { /* "[ac 57]" is where both sides differ */
  return String(text).split(/(\[[^\]]*\])/).map((part) => (part.startsWith('[') && part.endsWith(']') ?
    el('mark', {}, part.slice(1, -1)) : part));
}

function side(label, kind, hex, stack) {
  if (!hex && !(stack || []).length) return null;
  return el('div', { class: kind }, el('h4', {}, label), hex && el('pre', { class: 'hex' }, marked(hex)),
    (stack || []).length > 0 && stackNode(stack));
}

function stackNode(stack) {
  return el('ol', { class: 'stack' }, stack.map((frame) => {
    const at = frame.file ? `${frame.file}:${frame.line}` : `${frame.module} + 0x${(frame.offset || 0).toString(16)}`;
    return el('li', {}, el('code', {}, shown(frame.function || '?')), ' ', el('span', { class: 'soft mono' }, shown(at)),
      frame.inlined ? el('span', { class: 'soft' }, ' inlined') : null, sourceNode(frame));
  }));
}
function sourceNode(frame) {
  const source = frame.source;
  if (!source) return null;
  return el('pre', { class: 'source', tabindex: '0', role: 'region', 'aria-label': 'Source lines' }, source.lines.map((line, i) => {
    const number = source.first + i;
    const text = `${String(number).padStart(5)}  ${shown(line)}`;
    return number === frame.line ? el('span', { class: 'here' }, text + '\n') : text + '\n';
  }));
}

function differenceNode(difference, consequences) {
  const name = nameOf(difference);
  const box = el('div', { class: 'difference' },
    el('p', {}, el('strong', {}, short(name, 400)), ' ',
      el('span', { class: 'soft' }, [difference.section, difference.class && words(difference.class)]
        .filter(Boolean).join(', '))));
  if (difference.old_value !== null && difference.old_value !== undefined ||
      difference.new_value !== null && difference.new_value !== undefined)
    box.append(el('p', { class: 'value mono' }, el('span', { class: 'old' }, el('mark', {},
      difference.old_value === null ? 'absent' : short(difference.old_value, 2000))), ' → ',
    el('span', { class: 'new' }, el('mark', {}, difference.new_value === null ? 'absent' :
      short(difference.new_value, 2000)))));
  if (Array.isArray(difference.lines))
    box.append(el('pre', {}, difference.lines.map((line) => `${short(line, 400)}\n`).join('')));
  box.append(el('div', { class: 'sides' }, side('kept', 'old', difference.old_hex, difference.old_stack),
    side('recooked', 'new', difference.new_hex, difference.new_stack)));
  if (consequences.length)
    box.append(el('details', { class: 'consequences' },
      el('summary', { class: 'soft' }, `${plural(consequences.length, 'consequence')} of it`),
      el('ul', {}, consequences.map((other) => el('li', {}, short([nameOf(other), other.old_value !== null && other.new_value !== null ?
        `${other.old_value} → ${other.new_value}` : ''].filter(Boolean).join(': '), 300))))));
  return box;
}

/* ---- recooks: a treemap of causes, and the same as a table ---- */

function recooks() {
  const causes = report.recook_causes || [];
  if (causes.length === 0) return;
  const section = $('recooks');
  section.hidden = false;
  const total = report.recooks || {};
  section.append(el('h2', { id: 'recooks-title' }, 'Why packages were recooked'),
    el('p', {}, total.identical === undefined ? `${plural(total.packages, 'package')}; how they came out is not known.` :
      `${plural(total.packages, 'package')} in ${seconds(total.seconds)}; ${count(total.identical)} came out ` +
      `identical (false recooks), ${seconds(total.wasted_seconds)} wasted.`));
  treemap(section, causes);
  section.append(sortableTable('Causes of recooks', [
    { name: 'cause', value: (c) => c.what },
    { name: 'packages', value: (c) => c.packages, text: (c) => count(c.packages), number: true },
    causes.some((c) => c.identical !== undefined) && { name: 'identical', value: (c) => c.identical || 0,
      text: (c) => (c.identical === undefined ? '' : count(c.identical)), number: true },
    causes.some((c) => c.seconds !== undefined) && { name: 'seconds', value: (c) => c.seconds || 0,
      text: (c) => seconds(c.seconds), number: true },
  ].filter(Boolean), causes, 20));
}

function treemap(section, causes) {
  const width = widthIn(section), height = causes.length < 3 ? 120 : 260;
  const size = (c) => (causes.some((other) => other.seconds) ? c.seconds || 0 : c.packages);
  const root = d3.hierarchy({ children: causes.slice(0, 200) }).sum((c) => (c.children ? 0 : size(c)))
    .sort((a, b) => b.value - a.value);
  d3.treemap().size([width, height]).paddingInner(2)(root);
  const svg = svgIn(section, width, height, 'Treemap of recook causes, by time; the table below says the same');
  const identical = (c) => (c.packages ? (c.identical || 0) / c.packages : 0);
  for (const leaf of root.leaves()) {
    const w = leaf.x1 - leaf.x0, h = leaf.y1 - leaf.y0, cause = leaf.data;
    const cell = svg.append('g').attr('transform', `translate(${leaf.x0},${leaf.y0})`);
    cell.append('rect').attr('width', w).attr('height', h)
      .style('fill', identical(cause) > 0.5 ? 'var(--mark-old)' : 'var(--code)').style('stroke', 'var(--line)');
    cell.append('title').text([cause.what, plural(cause.packages, 'package'), seconds(cause.seconds),
      cause.identical !== undefined && `${count(cause.identical)} identical`].filter(Boolean).join('\n'));
    if (w > 70 && h > 34) {
      cell.append('text').attr('x', 6).attr('y', 17).text(short(cause.what, Math.floor(w / 7)));
      cell.append('text').attr('class', 'soft').attr('x', 6).attr('y', 33)
        .text(short([count(cause.packages), seconds(cause.seconds)].filter(Boolean).join(' · '), Math.floor(w / 7)));
    }
  }
  if (causes.some((cause) => cause.identical !== undefined))
    section.append(legend([['var(--code)', 'mostly changed'], ['var(--mark-old)', 'mostly identical: wasted']]));
}

/* ---- time ---- */

function time() {
  const packages = report.slowest || [];
  if (packages.length === 0) return;
  const section = $('time');
  section.hidden = false;
  section.append(el('h2', { id: 'time-title' }, 'Where the time went'));
  timeline(section);
  section.append(el('h3', {}, 'Slowest packages'), sortableTable('Slowest packages', [
    { name: 'package', value: (p) => p.name },
    { name: 'result', value: (p) => words(p.result || '') },
    { name: 'reason', value: (p) => p.reason || '' },
    { name: 'size', value: (p) => p.bytes || 0, text: (p) => bytes(p.bytes), number: true },
    { name: 'seconds', value: (p) => p.seconds || 0, text: (p) => seconds(p.seconds), number: true },
  ], packages, 20));
}

function timeline(section) {
  const spans = report.timeline || [];
  if (spans.length === 0) return;
  const lanes = [...new Set(spans.map((span) => span.worker))].sort((a, b) => a - b);
  const width = widthIn(section), left = 70, row = 24, height = lanes.length * row + 26;
  const end = d3.max(spans, (span) => span.start + span.seconds);
  const x = d3.scaleLinear().domain([0, end]).range([left, width - 8]);
  const svg = svgIn(section, width, height, `Timeline of ${spans.length} packages on ${lanes.length} workers`);
  lanes.forEach((lane, i) => svg.append('text').attr('class', 'soft').attr('x', 0).attr('y', i * row + 16)
    .text(`worker ${lane}`));
  for (const span of spans)
    svg.append('rect').attr('x', x(span.start)).attr('y', lanes.indexOf(span.worker) * row + 3)
      .attr('width', Math.max(0.5, x(span.start + span.seconds) - x(span.start))).attr('height', row - 6)
      .style('fill', 'var(--bar)').style('stroke', 'var(--card)').style('stroke-width', 0.5)
      .append('title').text(`${short(span.name, 200)}: ${seconds(span.seconds)}`);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${lanes.length * row + 2})`)
    .call(d3.axisBottom(x).ticks(width < 500 ? 4 : 8).tickFormat((s) => seconds(s)));
  if (report.timeline_dropped)
    section.append(el('p', { class: 'soft' }, `The ${count(spans.length)} longest; ${count(report.timeline_dropped)} shorter ones are left out.`));
}

function about() {
  const section = $('about');
  section.append(el('h2', { id: 'about-title' }, 'About this report'));
  for (const line of report.notes || []) section.append(el('p', { class: 'soft' }, line));
}

/* ---- deep links ---- */

function readHash() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  return parameters;
}
function setHash(changes) {
  const parameters = readHash();
  for (const key of [...parameters.keys()]) if (parameters.get(key) === '') parameters.delete(key);
  for (const [key, value] of Object.entries(changes))
    if (value) parameters.set(key, value); else parameters.delete(key);
  history.replaceState(null, '', `#${parameters.toString()}`);
}
function rememberFilters() {
  setHash({ q: filters.text, verdict: filters.verdict, state: filters.state, owner: filters.owner,
    group: filters.group === 'cause' ? '' : filters.group,
    sort: filters.sort === 'package' ? '' : filters.sort });
}
function fromHash() {
  const parameters = readHash();
  const pick = (key, allowed, fallback) => (allowed.includes(parameters.get(key)) ? parameters.get(key) : fallback);
  const wanted = parameters.get('finding');
  filters.text = parameters.get('q') || '';
  filters.verdict = pick('verdict', Object.keys(VERDICTS), '');
  filters.state = pick('state', ['new', 'known', 'masked', 'gone'], '');
  filters.owner = parameters.get('owner') || '';
  filters.group = pick('group', Object.keys(groupings), 'cause');
  filters.sort = pick('sort', Object.keys(sorts), 'package');
  applyFilters();
  if (wanted && /^[0-9a-f]{1,32}$/.test(wanted)) reveal(wanted);
}
function reveal(id) {
  if (!findings.some((entry) => entry.finding.id === id)) return say(`no finding ${id} in this report`);
  if (!$(`f-${id}`)) {
    Object.assign(filters, { text: '', verdict: '', state: '', owner: '', group: 'none' });
    applyFilters();
    renderFindings(id);
  }
  const node = $(`f-${id}`);
  node.open = true;
  node.querySelector('summary').focus({ preventScroll: true });
  node.scrollIntoView({ block: 'start' });
}

/* ---- keys ---- */

function move(step) {
  const all = [...document.querySelectorAll('details.finding > summary')];
  const at = all.indexOf(document.activeElement);
  const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))];
  if (next) { next.focus(); next.scrollIntoView({ block: 'nearest' }); }
}
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const open = document.activeElement.closest && document.activeElement.closest('details.finding');
  const keys = { '/': () => $('search') && $('search').focus(), j: () => move(1), k: () => move(-1),
    d: toggleTheme, '?': () => $('help').showModal(),
    c: () => { const entry = open && findings.find((e) => `f-${e.finding.id}` === open.id);
      if (entry && entry.finding.reproduce) copy(entry.finding.reproduce); } };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
}

initTheme();
summary();
trend();
findingsSection();
recooks();
time();
about();
fromHash();
/* A link to a section is no deep link: it leaves the filters alone. */
addEventListener('hashchange', () => { if (!$(location.hash.slice(1))) fromHash(); });
document.addEventListener('keydown', onKey);
$('keys').addEventListener('click', () => $('help').showModal());
}());
