/* cook serve beside a running cook, in a browser.  progress.js BUILD/bin FOLDER_OF_INSTALL WORK */
'use strict';
const { execFileSync, spawn } = require('node:child_process');
const { assert, bin, check, faults, fs, main, open, path, serve, shot, until } = require('./lib.js');

const PACKAGES = 6;

/* Packages that take no time, and one that takes as long as nobody lets it go. */
function makeProject(folder, plugin) {
  const project = path.join(folder, 'project'), go = path.join(folder, 'go');
  fs.mkdirSync(path.join(project, 'Content'), { recursive: true });
  const asset = (name, object) => fs.writeFileSync(path.join(project, 'Content', `${name}.asset`),
    JSON.stringify({ objects: [object] }));
  for (let i = 1; i < PACKAGES; i++) asset(`Table${i}`, { name: 'T', class: '/Script/Cook.DataTable',
    properties: { Columns: [{ Name: 'Label' }], Rows: { First: { Cells: [`${i}`] } } } });
  asset('Wait', { name: 'W', class: '/Script/Slow.Waiter', properties: { Until: go } });
  fs.writeFileSync(path.join(project, 'cook.ini'), '[Project]\nName=Slow\n+ContentRoot=/Game=Content\n' +
    `+Plugin=${plugin}\n[Cook]\n+AlwaysCook=/Game/*\n`);
  return { project, go };
}

function start(...args) {
  const child = spawn(path.join(bin, 'cook'), args, { stdio: 'ignore', detached: true });
  return { child, ended: new Promise((resolve) => child.on('exit', (status) => resolve(status))) };
}

const running = (page, words) => until(page, (expected) => !document.getElementById('running').hidden &&
  new RegExp(expected, 's').test(document.getElementById('running').textContent), words, 20000);
const titleOf = (page) => page.locator('#running-title').textContent();
const textOf = (page) => page.locator('#running-text').textContent();

async function load(browser, server, options) {
  const page = await open(browser, (url) => url.startsWith(server.url), options);
  await page.goto(server.url);
  await until(page, () => !/^Loading/.test(document.getElementById('page').textContent));
  return page;
}
async function progressOf(page) {
  return page.evaluate(async () => (await (await fetch('/api/progress')).json()).progress);
}

main(async (browser, folder) => {
  const { project, go } = makeProject(folder, path.join(process.argv[4], 'slow.so'));
  const server = await serve(project);
  try {
    await check('a store that is not there yet', async () => {
      const page = await load(browser, server);
      assert.match(await page.locator('#page').textContent(), /cook full --target Desktop/);
      assert.strictEqual((await progressOf(page)).running, false);
      /* The first cook of all is seen by a page that was there before it. */
      const { child, ended } = start('full', '-q', '-C', project);
      try {
        await running(page, 'cook full has been running.*cooking 5 of 6.*/Game/Wait');
        await page.waitForTimeout(11000); /* nothing comes out of it in all that time */
        assert.match(await titleOf(page), /^cook full has been running for 1\d s/);
        assert.match(await textOf(page), /^cooking 5 of 6: cooked 5, skipped 0, failed 0; now \/Game\/Wait, for \d+/);
        const progress = await progressOf(page);
        assert.strictEqual(progress.running, true);
        assert.ok(progress.seconds >= 10 && progress.slowest_seconds >= 10, JSON.stringify(progress));
        assert.strictEqual(progress.process, child.pid);
        for (const colorScheme of ['light', 'dark']) {
          const other = await load(browser, server, { colorScheme });
          await running(other, 'cook full has been running');
          assert.deepStrictEqual(await faults(other), []);
          await shot(other, `progress-${colorScheme}`);
          await other.context().close();
        }
        const phone = await load(browser, server, { viewport: { width: 380, height: 740 } });
        await running(phone, 'cook full has been running');
        await shot(phone, 'progress-phone');
        await phone.context().close();
      } finally {
        fs.writeFileSync(go, '');
        await ended;
      }
      await running(page, 'cook full ended after.*cooked 6, skipped 0, failed 0');
      assert.strictEqual((await progressOf(page)).outcome, 'done');
      assert.ok(!await page.locator('#running-bar').isVisible());
      await until(page, () => document.querySelectorAll('#page tbody tr').length > 0); /* the list came anew */
      assert.deepStrictEqual(await faults(page), []);
      await shot(page, 'progress-ended');
      await page.click('#running-close');
      assert.ok(!await page.locator('#running').isVisible());
      assert.deepStrictEqual(page.trouble.filter((t) => !/404/.test(t)), []);
      await page.context().close();
    });
    await check('a cook that is killed', async () => {
      const page = await load(browser, server);
      assert.ok(!await page.locator('#running').isVisible());
      fs.rmSync(go);
      const { child, ended } = start('full', '-q', '-C', project);
      await running(page, 'cook full has been running.*cooking');
      process.kill(-child.pid, 'SIGKILL');
      await ended;
      await running(page, 'cook full was killed.*while cooking.*cook incremental');
      await shot(page, 'progress-killed');
      const later = await load(browser, server);
      await running(later, 'cook full was killed'); /* nothing else tells of it */
      await later.context().close();
      assert.deepStrictEqual(page.trouble, []);
      await page.context().close();
    });
    await check('a cook that ends with an error', async () => {
      const page = await load(browser, server);
      const { child, ended } = start('incremental', '-q', '-C', project);
      await running(page, 'cook incremental has been running.*cooking');
      fs.rmSync(path.join(project, 'Saved/Cook/Desktop/blobs'), { recursive: true });
      fs.writeFileSync(path.join(project, 'Saved/Cook/Desktop/blobs'), '');
      fs.writeFileSync(go, '');
      assert.notStrictEqual(await ended, 0);
      await running(page, 'cook incremental ended with an error.*It came to no end: .*blobs');
      assert.ok(child.pid);
      await page.context().close();
    });
    await check('a store of another version', async () => {
      const database = path.join(project, 'Saved/Cook/Desktop/cook.db');
      execFileSync(process.env.COOK_PYTHON || 'python3', ['-c', 'import sqlite3, sys\n' +
        'sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version=9999")', database]);
      await new Promise((resolve) => setTimeout(resolve, 1100)); /* it looks once a second */
      for (const name of ['overview', 'packages', 'cook?id=1', 'artifact/bytes?name=x']) {
        const answer = await fetch(`${server.url}api/${name}`);
        const document = await answer.json();
        assert.strictEqual(answer.status, 503, name);
        assert.match(document.error, /newer than this version of cook can read/);
        assert.match(document.advice, /move Saved\/Cook\/Desktop away and run: cook full --target Desktop/);
        assert.deepStrictEqual(document.targets, ['Desktop']);
      }
      const page = await load(browser, server);
      await until(page, () => document.getElementById('target').value === 'Desktop');
      assert.match(await page.locator('#page').textContent(), /The store cannot be read.*run: cook full --target Desktop/);
      assert.deepStrictEqual(await faults(page), []);
      await shot(page, 'progress-unreadable');
      await page.context().close();
    });
  } finally {
    server.child.kill('SIGKILL');
  }
});
