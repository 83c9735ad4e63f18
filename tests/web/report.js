/* cook report html in a browser.  report.js BUILD/bin FOLDER_OF_INSTALL WORK */
'use strict';
const { assert, bodyIsWider, check, cook, document: made, faults, fs, main, open, path, shot, until } = require('./lib.js');

const text = (page, selector) => page.locator(selector).first().textContent();
const shownFindings = (page) => page.locator('details.finding').count();
const focused = (page) => page.evaluate(() => (document.activeElement.closest('details.finding') || {}).id);

function write(folder, kind, change, name = kind) {
  const json = path.join(folder, `${name}.json`), html = path.join(folder, `${name}.html`);
  const document = JSON.parse(made(kind));
  if (change) change(document);
  fs.writeFileSync(json, change ? JSON.stringify(document) : made(kind));
  cook('report', 'html', '-q', '--output', html, json);
  return { url: `file://${html}`, html, document: JSON.parse(fs.readFileSync(json, 'utf8')) };
}

async function load(browser, report, hash, options) {
  const page = await open(browser, (url) => url.split('#')[0] === report.url, options);
  await page.goto(report.url + (hash || ''));
  await until(page, () => document.getElementById('about').children.length > 0);
  return page;
}
/* Nothing went wrong on a page, and it asked for itself alone. */
async function quiet(page) {
  assert.deepStrictEqual(page.trouble, []);
  assert.strictEqual(new Set(page.requests).size, 1);
  await page.context().close();
}

async function filtering(browser, report) {
  const page = await load(browser, report);
  const matched = (pattern) => until(page, (source) =>
    new RegExp(source).test(document.getElementById('matched').textContent), pattern.source);
  const choose = (key, value) => page.selectOption(`[data-filter=${key}]`, value);
  await check('all findings are there', async () => {
    assert.strictEqual(await shownFindings(page), 16);
    assert.match(await text(page, '#verdict'), /ship stale/);
  });
  await check('search', async () => {
    await page.fill('#search', 'name7');
    await matched(/^1 of 16/);
    assert.strictEqual(await text(page, '.package'), '/Game/Name7');
    assert.match(page.url(), /q=name7/);
    await page.fill('#search', 'nothing has this');
    await matched(/^0 of 16/);
    await page.fill('#search', '');
    await matched(/^16 findings/);
  });
  await check('filters', async () => {
    await choose('verdict', 'both');
    await matched(/^4 of 16/);
    await choose('state', 'gone');
    await matched(/^1 of 16/);
    await choose('verdict', '');
    await choose('state', '');
    await page.click('[data-state=known]');
    await matched(/^4 of 16/);
    assert.strictEqual(await page.getAttribute('[data-state=known]', 'aria-pressed'), 'true');
    await page.click('[data-state=known]');
    await matched(/^16 findings/);
  });
  await check('group by', async () => {
    for (const [key, groups] of [['class', 1], ['function', 16], ['owner', 1], ['cause', 11], ['none', 1]]) {
      await choose('group', key);
      assert.strictEqual(await page.locator('.group').count(), groups, key);
      assert.strictEqual(await shownFindings(page), 16, key);
    }
  });
  await check('sort', async () => {
    await choose('sort', 'first seen');
    const order = await page.locator('details.finding').evaluateAll((nodes) => nodes.map((n) => n.id));
    assert.strictEqual(order[0], 'f-000000000000000f');
    await choose('sort', 'package');
    assert.strictEqual(await page.locator('details.finding').first().getAttribute('id'), 'f-0000000000000000');
  });
  await quiet(page);
}

async function links(browser, report) {
  await check('a link to a finding opens it', async () => {
    const page = await load(browser, report, '#finding=0000000000000009');
    assert.strictEqual(await page.locator('details[open].finding').getAttribute('id'), 'f-0000000000000009');
    assert.strictEqual(await focused(page), 'f-0000000000000009');
    assert.match(await text(page, 'details[open] .body'), /Name9 old/);
    await quiet(page);
  });
  await check('a link beside filters that hide it still opens it', async () => {
    const page = await load(browser, report, '#q=Name1&finding=0000000000000009');
    assert.strictEqual(await page.locator('details[open].finding').getAttribute('id'), 'f-0000000000000009');
    await quiet(page);
  });
  await check('a link keeps the filters', async () => {
    const page = await load(browser, report, '#q=name1&verdict=both&group=class&sort=first+seen');
    assert.match(await text(page, '#matched'), /^2 of 16/);
    assert.strictEqual(await page.inputValue('#search'), 'name1');
    assert.strictEqual(await page.inputValue('[data-filter=group]'), 'class');
    await quiet(page);
  });
  await check('hostile links do nothing', async () => {
    for (const hash of ['#finding=%3Cimg%20src=x%3E', '#finding=ffff', '#group=__proto__&sort=constructor',
      '#q=%3Cscript%3E&verdict=x', '#%']) {
      const page = await load(browser, report, hash);
      assert.strictEqual(await page.locator('details[open].finding').count(), 0);
      await quiet(page);
    }
  });
}

async function keyboard(browser, report) {
  const page = await load(browser, report, '#group=none', { permissions: ['clipboard-read', 'clipboard-write'] });
  await check('keys', async () => {
    await page.keyboard.press('/');
    assert.strictEqual(await page.evaluate(() => document.activeElement.id), 'search');
    await page.keyboard.type('j{'); /* is typed there */
    assert.strictEqual(await page.inputValue('#search'), 'j{');
    await until(page, () => document.querySelectorAll('details.finding').length === 0);
    await page.fill('#search', '');
    await until(page, () => document.querySelectorAll('details.finding').length === 16);
    await page.focus('#search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    assert.strictEqual(await focused(page), 'f-0000000000000000');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.strictEqual(await focused(page), 'f-0000000000000001');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#f-0000000000000001[open] .body');
    await page.keyboard.press('c');
    await until(page, () => document.getElementById('said').textContent !== '');
    assert.strictEqual(await text(page, '#said'), 'copied');
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), 'cook reproduce 0000000000000001');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#f-0000000000000001:not([open])');
    const before = await page.evaluate(() => document.documentElement.className);
    await page.keyboard.press('d');
    assert.notStrictEqual(await page.evaluate(() => document.documentElement.className), before);
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help').isVisible());
    await page.keyboard.press('Escape');
    assert.ok(!await page.locator('#help').isVisible());
  });
  await quiet(page);
}

async function looks(browser, report, name) {
  for (const colorScheme of ['light', 'dark'])
    await check(`${name}: ${colorScheme}`, async () => {
      const page = await load(browser, report, '#finding=0000000000000001', { colorScheme });
      assert.strictEqual(await page.evaluate(() => document.documentElement.classList.contains('dark')),
        colorScheme === 'dark');
      assert.ok(await bodyIsWider(page) <= 0, `${await bodyIsWider(page)} px too wide`);
      assert.deepStrictEqual(await faults(page), []);
      await page.click('#keys');
      assert.deepStrictEqual(await faults(page), []);
      await page.keyboard.press('Escape');
      await shot(page, `report-${name}-${colorScheme}`);
      await quiet(page);
    });
  await check(`${name}: on a phone`, async () => {
    const page = await load(browser, report, '#finding=0000000000000001', { viewport: { width: 360, height: 740 } });
    assert.ok(await bodyIsWider(page) <= 0, `${await bodyIsWider(page)} px too wide`);
    assert.deepStrictEqual(await faults(page), []);
    await shot(page, `report-${name}-phone`);
    await quiet(page);
  });
  await check(`${name}: in print`, async () => {
    const page = await load(browser, report, '', { colorScheme: 'dark' });
    const pdf = await page.pdf({ format: 'A4' });
    assert.strictEqual(pdf.subarray(0, 5).toString(), '%PDF-');
    await page.emulateMedia({ media: 'print' });
    assert.ok(!await page.locator('.filters').isVisible());
    assert.strictEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    await quiet(page);
  });
}

async function hostile(browser, report) {
  await check('hostile names stay text', async () => {
    const page = await load(browser, report, '#group=none');
    const scripts = await page.locator('script').count();
    assert.strictEqual(await shownFindings(page), report.document.findings.length);
    for (const summary of await page.locator('details.finding > summary').all()) await summary.click();
    await until(page, (all) => document.querySelectorAll('.finding .body').length === all,
      report.document.findings.length);
    for (const group of ['cause', 'class', 'function', 'owner']) await page.selectOption('[data-filter=group]', group);
    assert.strictEqual(await page.evaluate(() => window.hurt), undefined);
    assert.strictEqual(await page.locator('script').count(), scripts);
    assert.strictEqual(await page.locator('main img, main iframe, main object, main style').count(), 0);
    const all = await text(page, '#findings');
    assert.ok(all.includes('</script><script>window.hurt=1</script>'));
    assert.doesNotMatch(all, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    const wrong = await page.locator('a').evaluateAll((nodes) => nodes.filter((a) =>
      !a.getAttribute('href').startsWith('#')).length);
    assert.strictEqual(wrong, 0);
    await quiet(page);
  });
}

/* A red pixel; and what a document may name that is none. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
async function pictures(browser, folder) {
  await check('pictures of textures', async () => {
    const file = path.join(folder, 'Skin<b>.png');
    fs.writeFileSync(file, Buffer.from(PIXEL, 'base64'));
    const report = write(folder, 'small', (document) => {
      document.findings[0].pictures = [file, '/etc/passwd', path.join(folder, 'nowhere.png')];
    }, 'pictures');
    const page = await load(browser, report, '#group=none&finding=0000000000000000');
    await page.waitForSelector('#f-0000000000000000 figure img');
    assert.deepStrictEqual(await page.locator('figure img').evaluateAll((all) => all.map((i) => [i.naturalWidth,
      i.alt])), [[1, 'kept picture, new picture, and where they differ: Skin<b>.png']]);
    assert.match(await text(page, '#f-0000000000000000'), /2 more pictures not in this page/);
    assert.deepStrictEqual(await faults(page), []);
    await quiet(page);
  });
}

async function large(browser, report) {
  await check('10,000 findings', async () => {
    let page;
    const began = process.hrtime.bigint();
    page = await load(browser, report);
    const opened = Number(process.hrtime.bigint() - began) / 1e6;
    const took = (name) => page.evaluate((n) => performance.getEntriesByType('navigation')[0][n], name);
    const ready = await took('loadEventEnd');
    console.log(`10,000 findings, ${(fs.statSync(report.html).size / 1e6).toFixed(1)} MB: loaded after ` +
      `${ready.toFixed(0)} ms, with the start of the page ${opened.toFixed(0)} ms`);
    assert.ok(ready < 10000, `${ready} ms`); /* no timed figure, but a page that never opens is a fault */
    const search = await page.evaluate(() => new Promise((resolve) => {
      const input = document.getElementById('search'), start = performance.now();
      new MutationObserver(() => resolve(performance.now() - start)).observe(document.getElementById('matched'),
        { childList: true, characterData: true, subtree: true });
      input.value = 'name99';
      input.dispatchEvent(new Event('input'));
    }));
    console.log(`a search in them: ${search.toFixed(0)} ms`);
    assert.match(await text(page, '#matched'), /^111 of 10,000/);
    await page.fill('#search', '');
    await until(page, () => /^10,000/.test(document.getElementById('matched').textContent));
    assert.ok(await shownFindings(page) < 2000, 'not all of them are drawn');
    assert.match(await text(page, '#findings'), /Show [0-9,]+ more/);
    assert.match(await text(page, '#findings'), /2 more findings left out/);
    assert.match(await text(page, '#about'), /2 findings are left out/);
    await page.evaluate(() => { location.hash = '#finding=000000000000270f'; });
    await page.waitForSelector('#f-000000000000270f[open]');
    await quiet(page);
  });
}

main(async (browser, folder) => {
  const small = write(folder, 'small');
  await filtering(browser, small);
  await links(browser, small);
  await keyboard(browser, small);
  await looks(browser, small, 'small');
  await pictures(browser, folder);
  const bad = write(folder, 'hostile');
  await hostile(browser, bad);
  await looks(browser, bad, 'hostile');
  await large(browser, write(folder, '10002'));
});
