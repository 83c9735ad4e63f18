/* What the browser tests share: a browser that reaches nothing but the page under test, checks that are
 * counted, and the accessibility rules. Exit status 77 where a need is missing. */
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn, execFileSync } = require('node:child_process');

function skip(why) {
  console.error(`skipped: ${why}`);
  process.exit(77);
}

const [bin, modules, work] = process.argv.slice(2).map((folder) => path.resolve(folder));
function need(name) {
  try { return require(path.join(modules, 'node_modules', name)); } catch (error) {
    return skip(`the npm package ${name} is missing; see tests/web/install.sh`);
  }
}
const { chromium } = need('playwright-core');
const axeSource = need('axe-core').source;

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env.COOK_BROWSER || programs.find((file) => fs.existsSync(file));
if (!program) skip('there is no Chromium');

let failed = 0, passed = 0;
async function check(name, run) {
  try {
    await run();
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}\n    ${String(error.stack || error).split('\n').slice(0, 12).join('\n    ')}`);
  }
}

function cook(...args) {
  return execFileSync(path.join(bin, 'cook'), args, { encoding: 'utf8', maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'] });
}
/* Its exit status, where a verb may end with findings or with packages that failed. */
function cookStatus(...args) {
  try { cook(...args); return 0; } catch (error) {
    if (![1, 3].includes(error.status)) throw new Error(`cook ${args.join(' ')}: ${error.stderr}`);
    return error.status;
  }
}

/* A dashboard on a port of its own; whoever starts it ends it. */
function serve(project, ...options) {
  const child = spawn(path.join(bin, 'cook'), ['serve', '-C', project, '--port', '0', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
      const found = /http:\/\/[^ ]*\//.exec(said);
      if (found) resolve({ child, url: found[0], port: Number(new URL(found[0]).port) });
    });
    child.on('exit', (status) => reject(new Error(`cook serve ended with ${status}`)));
  });
}

/*
 * A page whose console, errors and requests are watched: `page.trouble` holds what should not be there. A
 * request that `allowed` does not want is refused and counted.
 */
async function open(browser, allowed, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce',
    ...options });
  const page = await context.newPage();
  page.trouble = [];
  page.requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.trouble.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => page.trouble.push(`page error: ${error.message}`));
  page.on('dialog', (dialog) => { page.trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.route('**/*', (route) => {
    const url = route.request().url();
    page.requests.push(url);
    if (allowed(url)) return route.continue();
    page.trouble.push(`asked for ${url}`);
    return route.abort();
  });
  return page;
}

/* Wait until a function, run in the page, says true. (Playwright's own wait needs eval, which pages forbid.) */
async function until(page, test, argument, limit = 8000) {
  for (const end = Date.now() + limit; !await page.evaluate(test, argument);) {
    if (Date.now() > end) throw new Error(`not within ${limit} ms: ${test} ${argument || ''}`);
    await page.waitForTimeout(20);
  }
}

/* Serious and critical faults, by axe-core. */
async function faults(page) {
  /* As the debugger does: a page's own policy allows no eval. */
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  await session.detach();
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`);
}
const bodyIsWider = (page) => page.evaluate(() =>
  Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth);

/* Where COOK_SHOTS names a folder: pictures of the pages, to be looked at. */
async function shot(page, name) {
  if (process.env.COOK_SHOTS)
    await page.screenshot({ path: path.join(process.env.COOK_SHOTS, `${name}.png`), fullPage: true });
}

async function main(run) {
  const folder = fs.mkdtempSync(path.join(work || os.tmpdir(), 'web-'));
  let browser;
  try {
    /* As root, as in a container, the browser refuses its sandbox. */
    browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
      .catch((error) => skip(`the browser does not start: ${error.message.split('\n')[0]}`));
    await run(browser, folder);
  } catch (error) {
    failed++;
    console.log(error.stack);
  } finally {
    if (browser) await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${passed} checks passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

const document = (kind) => execFileSync(process.env.COOK_PYTHON || 'python3',
  [path.join(__dirname, 'documents.py'), String(kind)], { encoding: 'utf8', maxBuffer: 1 << 28 });

module.exports = { assert, bin, bodyIsWider, check, cook, cookStatus, document, faults, fs, main, open, path, serve, shot,
  until };
