/* cook serve in a browser.  serve.js BUILD/bin FOLDER_OF_INSTALL WORK */
'use strict';
const http = require('node:http');
const { execFileSync } = require('node:child_process');
const { assert, bin, bodyIsWider, check, cook, cookStatus, faults, fs, main, open, path, serve,
  shot, until } = require('./lib.js');

const MARKUP = '<img src=x onerror=window.hurt=1>';
const NAMES = [MARKUP, '\u202egnp.exe', 'quote"\'&amp;', 'a b#c?d=e%2f&f', 'n'.repeat(240)];
const ID = '00000000000000aa';
const TABLES = 240;

function table(text, property) {
  return JSON.stringify({ objects: [{ name: 'Table', class: '/Script/Cook.DataTable', properties: {
    Columns: [{ Name: 'Label' }], Rows: { First: { Cells: [text] } }, ...property } }] });
}
function asset(project, name, text) {
  const file = path.join(project, 'Content', `${name}.asset`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

/* Two targets; packages with hostile names, messages and a failure; a validation whose findings are hostile. */
function makeProject(folder) {
  const project = path.join(folder, 'project');
  for (const name of NAMES) asset(project, name, table(name));
  for (let i = 0; i < TABLES; i++) asset(project, `Tables/Table${String(i).padStart(4, '0')}`, table(`${i}`));
  asset(project, 'Warned', table('x', { '<script>window.hurt=1</script>': 1 }));
  asset(project, 'Broken', '{ "objects": [ { "name": "x", "class": "/Script/<b>None</b>" } ] }');
  asset(project, 'Level', JSON.stringify({ objects: [{ name: 'World', class: '/Script/Cook.World', properties: {
    Actors: [{ Name: 'A', Object: { $ref: '/Game/Tables/Table0001' } }] } }] }));
  fs.writeFileSync(path.join(project, 'cook.ini'), `[Project]\nName=<b>Hostile</b>\n+ContentRoot=/Game=Content\n` +
    '[Cook]\n+AlwaysCook=/Game/*\n[Target:Console]\nPlatform=Console\n');
  fs.writeFileSync(path.join(folder, 'secret.txt'), 'the secret');
  return project;
}

/* What a validation may have found, with the names of somebody else. */
function addFindings(project) {
  execFileSync(process.env.COOK_PYTHON || 'python3', ['-c', `
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
run = database.execute("SELECT max(id) FROM runs WHERE verb = 'incremental-validate'").fetchone()[0]
for number in range(30):
    text = sys.argv[2] if number % 2 else "n" * 10240
    database.execute("INSERT INTO findings(run, id, rule, package, property, verdict, json, state, cause) "
                     "VALUES(?, ?, 'false_skip', ?, ?, 'false_skip', ?, 'new', ?)",
                     (run, f"{0xaa + number:016x}", "/Game/" + sys.argv[2], text, json.dumps({"package": text}), text))
database.commit()`, path.join(project, 'Saved/History/history.db'), MARKUP]);
}

/* A request as it is written here: no path is made nicer, and any header may stand in it. */
function ask(server, target, { method = 'GET', headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, path: target, method, headers }, (response) => {
      const parts = [];
      response.on('data', (data) => parts.push(data));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers,
        body: Buffer.concat(parts) }));
    });
    request.setTimeout(10000, () => request.destroy(new Error(`no end of ${target}`)));
    request.on('error', reject);
    request.end();
  });
}

async function load(browser, server, hash, options) {
  const page = await open(browser, (url) => url.startsWith(server.url), options);
  await page.goto(server.url + hash);
  await settled(page);
  return page;
}
const settled = (page) => until(page, () => !/^Loading/.test(document.getElementById('page').textContent));
async function quiet(page) {
  assert.strictEqual(await page.evaluate(() => window.hurt), undefined);
  assert.deepStrictEqual(page.trouble, []);
  await page.context().close();
}
const content = (page) => page.locator('#page').textContent();

const PAGES = { overview: '#overview', packages: '#packages', hostile: '#packages?q=img',
  package: `#package?name=${encodeURIComponent(`/Game/${MARKUP}`)}`, warned: '#package?name=/Game/Warned',
  level: '#package?name=/Game/Level', broken: '#package?name=/Game/Broken', cooks: '#cooks', cook: '#cook?id=1',
  findings: '#findings', runs: '#runs', artifacts: '#artifacts' };

async function looks(browser, server) {
  for (const [name, hash] of Object.entries(PAGES)) {
    for (const colorScheme of ['light', 'dark'])
      await check(`${name}, ${colorScheme}`, async () => {
        const page = await load(browser, server, hash, { colorScheme });
        assert.deepStrictEqual(await faults(page), []);
        assert.ok(await bodyIsWider(page) <= 0, `${await bodyIsWider(page)} px too wide`);
        assert.doesNotMatch(await content(page), /cannot be shown/);
        assert.doesNotMatch(await page.locator('body').textContent(), /[\u202a-\u202e\u2066-\u2069]/);
        await shot(page, `serve-${name}-${colorScheme}`);
        await quiet(page);
      });
    await check(`${name}, on a phone`, async () => {
      const page = await load(browser, server, hash, { viewport: { width: 360, height: 740 } });
      assert.ok(await bodyIsWider(page) <= 0, `${await bodyIsWider(page)} px too wide`);
      await shot(page, `serve-${name}-phone`);
      await quiet(page);
    });
  }
}

async function packages(browser, server) {
  await check('search, kinds, order and pages of the packages', async () => {
    const page = await load(browser, server, '');
    await page.click('nav a[data-page=packages]');
    const has = (text) => until(page, (t) => document.querySelector('.pager') &&
      document.querySelector('.pager').textContent.includes(t), text);
    const all = TABLES + NAMES.length + 3;
    await has(`1 to 100 of ${all}`);
    await page.click('.pager a');
    await has(`101 to 200 of ${all}`);
    await page.locator('.pager a').last().click();
    await has(`201 to ${all} of ${all}`);
    assert.strictEqual(await page.locator('.pager a').count(), 1);
    await page.fill('#search', 'table001');
    await has('1 to 10 of 10');
    assert.strictEqual(await page.evaluate(() => document.activeElement.id), 'search');
    await page.fill('#search', '');
    await has(`1 to 100 of ${all}`);
    await page.selectOption('.filters select >> nth=0', 'failed');
    await has('1 to 1 of 1');
    assert.match(await content(page), /\/Game\/Broken/);
    await page.selectOption('.filters select >> nth=0', '');
    await has(`1 to 100 of ${all}`);
    await page.selectOption('.filters select >> nth=1', 'size');
    await until(page, () => /sort=size/.test(location.hash));
    await page.goBack();
    await has(`1 to 100 of ${all}`);
    await quiet(page);
  });
  await check('one package, and its bytes', async () => {
    const page = await load(browser, server, PAGES.package);
    assert.match(await content(page), /<img src=x onerror=window\.hurt=1>/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#page a[download]')]);
    const bytes = fs.readFileSync(await download.path());
    const kept = execFileSync(path.join(bin, 'cook'), ['store', 'cat', `/Game/${MARKUP}`, '-C', server.project]);
    assert.ok(bytes.length > 0 && bytes.equals(kept));
    await page.goto(`${server.url}#package?name=/Game/Level`);
    await until(page, () => /Refers to \(1\)/.test(document.getElementById('page').textContent));
    await page.click('#page a:text("/Game/Tables/Table0001")');
    await until(page, () => /Referred to by \(1\)/.test(document.getElementById('page').textContent));
    await quiet(page);
  });
  await check('artifacts are downloaded', async () => {
    const page = await load(browser, server, '#artifacts');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#page a[download]').first().click()]);
    assert.ok(fs.statSync(await download.path()).size > 0);
    await quiet(page);
  });
  await check('targets', async () => {
    const page = await load(browser, server, '#overview');
    await until(page, () => document.querySelectorAll('#target option').length === 2);
    await page.selectOption('#target', 'Console');
    await until(page, () => /for Console/.test(document.getElementById('page').textContent));
    await page.click('nav a[data-page=cooks]');
    await until(page, () => /target=Console/.test(location.hash));
    await quiet(page);
  });
}

async function requests(server) {
  await check('other names of this host are refused', async () => {
    for (const host of ['evil.example', `evil.example:${server.port}`, `127.0.0.1:${server.port + 1}`, 'localhost.evil',
      `127.0.0.1.:${server.port}`, `evil@127.0.0.1:${server.port}`])
      assert.strictEqual((await ask(server, '/api/overview', { headers: { Host: host } })).status, 421, host);
    for (const host of [`localhost:${server.port}`, `127.0.0.1:${server.port}`])
      assert.strictEqual((await ask(server, '/', { headers: { Host: host } })).status, 200, host);
  });
  await check('nothing is written', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      assert.strictEqual((await ask(server, '/api/overview', { method })).status, 405, method);
  });
  await check('no path reaches the file system', async () => {
    const up = '../'.repeat(12);
    const paths = ['/cook.ini', '/../cook.ini', '/..%2fcook.ini', '/%2e%2e/%2e%2e/secret.txt', `/${up}etc/passwd`,
      '//etc/passwd', '/report.css/../../cook.ini', '/.git/config', '/Saved/History/history.db', '/api/', '/api/../cook.ini'];
    for (const target of paths) assert.strictEqual((await ask(server, target)).status, 404, target);
    const values = ['../secret.txt', `${up}etc/passwd`, '/etc/passwd', '..', '.', 'Desktop/../../../..', '%2e%2e'];
    for (const value of values)
      for (const target of [`/api/overview?target=${value}`, `/api/events?target=${value}`, `/api/package?name=${value}`,
        `/api/package/bytes?name=${value}`, `/api/artifact/bytes?name=${value}`, `/api/finding?id=${value}`]) {
        const answer = await ask(server, target);
        assert.strictEqual(answer.status, 404, target);
        assert.ok(!answer.body.includes('root:') && !answer.body.includes('the secret'), target);
      }
  });
  await check('headers, and pages as JSON', async () => {
    for (const target of ['/', '/api/overview', '/api/packages?limit=5', '/api/findings', '/api/history', '/api/cooks',
      '/api/artifacts', '/api/cook?id=1', `/api/finding?id=${ID}`, '/api/progress', '/api/nothing']) {
      const answer = await ask(server, target);
      assert.match(answer.headers['content-security-policy'], /default-src 'none'/);
      assert.strictEqual(answer.headers['x-content-type-options'], 'nosniff');
      if (target.startsWith('/api') && answer.status === 200) JSON.parse(answer.body);
      assert.strictEqual(answer.status, target === '/api/nothing' ? 404 : 200, target);
    }
    assert.strictEqual(JSON.parse((await ask(server, '/api/packages?limit=99999999999999999999')).body).offset, 0);
  });
}

main(async (browser, folder) => {
  const project = makeProject(folder);
  cookStatus('full', '-q', '-C', project);
  const server = Object.assign(await serve(project), { project });
  try {
    await check('before anything was validated', async () => {
      const page = await load(browser, server, '#overview');
      assert.match(await content(page), /Nothing was validated yet/);
      await page.click('nav a[data-page=findings]');
      await until(page, () => /^Findings/.test(document.title));
      await quiet(page);
    });
    cookStatus('full', '-q', '-C', project, '--target', 'Console');
    cookStatus('incremental-validate', '-q', '-C', project);
    addFindings(project);
    await looks(browser, server);
    await packages(browser, server);
    await requests(server);
    await check('it ends when told to, without a fault', async () => {
      const ended = new Promise((resolve) => server.child.on('exit', (status) => resolve(status)));
      server.child.kill('SIGTERM');
      assert.strictEqual(await ended, 0);
    });
  } finally {
    server.child.kill('SIGKILL');
  }
  assert.ok(cook('store', 'stats', '-C', project).length > 0);
});
