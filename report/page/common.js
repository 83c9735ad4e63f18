/* What the report and the dashboard share. Every text is data: it reaches a page through textContent only. */
'use strict';

const $ = (id) => document.getElementById(id);

/* An element: attributes, then children (nodes, texts, or nothing). */
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

const numberFormat = new Intl.NumberFormat('en');
const count = (n) => numberFormat.format(n || 0);
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many || one + 's'}`;
function seconds(s) {
  if (s === undefined || s === null) return '';
  if (s < 0.001) return s === 0 ? '0 s' : `${(s * 1e6).toFixed(0)} µs`;
  if (s < 1) return `${(s * 1000).toFixed(s < 0.01 ? 1 : 0)} ms`;
  if (s < 120) return `${s.toFixed(s < 10 ? 2 : 1)} s`;
  return s < 7200 ? `${(s / 60).toFixed(1)} min` : `${(s / 3600).toFixed(1)} h`;
}
function bytes(b) {
  if (!b) return '0 B';
  const step = Math.min(4, Math.floor(Math.log2(b) / 10));
  return `${(b / 2 ** (10 * step)).toFixed(step ? 1 : 0)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][step]}`;
}
const when = (stamp) => (stamp ? stamp.slice(0, 16).replace('T', ' ') + ' UTC' : '');
const VERDICTS = { false_skip: 'false skip', indeterminate: 'indeterminate',
  both: 'false skip and indeterminate', vanished_replay: 'vanished replay' };
const words = (text) => String(text).replace(/_/g, ' ');
/* What is not seen, or turns the text around it, as an escape: the characters, and the escapes, of cook_text_put()
 * in C (cook/base/text.h). Lines stay. */
const HIDDEN = new RegExp('[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff' +
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]', 'gu');
const escaped = (c) => { const n = c.codePointAt(0), hex = n.toString(16);
  return n < 0x80 ? `\\x${hex.padStart(2, '0')}` : n < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`; };
const shown = (value) => String(value).replace(HIDDEN, escaped);
const short = (text, limit) => { text = shown(text); return text.length > limit ?
  `${text.slice(0, limit - 1)}…` : text; };

function say(text) { $('said').textContent = text; }
function copyButton(text) {
  return el('div', { class: 'copy' }, el('pre', {}, shown(text)),
    el('button', { type: 'button', onclick: () => copy(text) }, 'Copy'));
}
function copy(text) {
  const done = () => say('copied');
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => say('could not copy'));
  else say('this browser cannot copy from a file');
}

/* ---- light and dark ---- */

function remembered() { try { return localStorage.getItem('cookproof-theme'); } catch (e) { return null; } }
function setTheme(dark, keep) {
  document.documentElement.classList.toggle('dark', dark);
  $('theme').setAttribute('aria-pressed', String(dark));
  if (keep) try { localStorage.setItem('cookproof-theme', dark ? 'dark' : 'light'); } catch (e) { /* no storage */ }
}
function initTheme() {
  const preferred = matchMedia('(prefers-color-scheme: dark)');
  const kept = remembered();
  setTheme(kept ? kept === 'dark' : preferred.matches, false);
  preferred.addEventListener('change', (event) => { if (!remembered()) setTheme(event.matches, false); });
  $('theme').addEventListener('click', toggleTheme);
}
function toggleTheme() { setTheme(!document.documentElement.classList.contains('dark'), true); }

/* ---- tables ---- */

function sortableTable(caption, columns, rows, limit) {
  let by = null, down = true, all = false;
  const body = el('tbody');
  const head = columns.map((column, i) => el('th', { class: column.number ? 'n' : null, scope: 'col' },
    el('button', { type: 'button', onclick: () => { down = by === i ? !down : !!column.number; by = i; draw(); } },
      column.name)));
  const more = el('button', { type: 'button', class: 'more', onclick: () => { all = true; draw(); } });
  function draw() {
    const sorted = by === null ? rows : [...rows].sort((a, b) => {
      const [x, y] = [columns[by].value(a), columns[by].value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    });
    head.forEach((th, i) => (i === by ? th.setAttribute('aria-sort', down ? 'descending' : 'ascending') :
      th.removeAttribute('aria-sort')));
    body.replaceChildren(...sorted.slice(0, all ? 5000 : limit).map((row) => el('tr', {},
      columns.map((column) => el('td', { class: column.number ? 'n' : null },
        short(column.text ? column.text(row) : column.value(row), 400))))));
    more.hidden = all || rows.length <= limit;
    more.textContent = `Show all ${count(rows.length)}`;
  }
  draw();
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', { class: 'sr' }, caption), el('thead', {}, el('tr', {}, head)), body), more);
}
