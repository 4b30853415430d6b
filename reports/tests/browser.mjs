// Opens pages in a real browser: node browser.mjs REPORT_PROGRAM RESULT_FOLDER... [--shots FOLDER]
// Prints SKIPPED where a browser or the npm packages are not there. Exit code: 0 all held, 1 not.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const kBrowser = '/usr/bin/chromium';
const kMostBytes = 3 << 20;
const kMostOpenMs = 1000;

const words = process.argv.slice(2);
const shotsAt = words.indexOf('--shots');
const shots = shotsAt < 0 ? '' : words.splice(shotsAt, 2)[1];
const [program, ...results] = words;

let playwright, axe;
try {
  playwright = await import('playwright-core');
  axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
} catch {
  console.log('SKIPPED: the packages of package.json are not installed (npm ci)');
  process.exit(0);
}
if (!existsSync(kBrowser)) {
  console.log('SKIPPED: no browser (Debian package chromium)');
  process.exit(0);
}

const work = mkdtempSync(join(tmpdir(), 'lockstep_browser_'));
const report = (name, dirs) => {
  const out = join(work, name);
  const run = spawnSync(program, [...dirs, '--out', out], {encoding: 'utf8'});
  assert.ok(run.status !== null && existsSync(join(out, 'index.html')), run.stderr);
  return join(out, 'index.html');
};

const write = (name, result) => {
  const dir = join(work, name);
  mkdirSync(dir, {recursive: true});
  writeFileSync(join(dir, 'result.json'), JSON.stringify(result));
  return dir;
};

const envelope = {
  format_version: 1, command: 'verify', commit: '', impl_name: '', impl_path: '', impl_sha256: '',
  level: 'exact', machine: '', started: '', seconds: 1, seed: 1, verdict: 'pass', exit_code: 0,
};

// Names that would do harm wherever they were not escaped, in every section that is known.
const hostileResult = () => {
  const bad = '</script><script>window.harmed=1</script>"\'`><img src=x onerror="window.harmed=2">\u2028';
  const row = (i) => ({name: `${bad}${i}`, evidence: bad, [bad]: bad});
  return {
    ...envelope, command: bad, impl_name: bad, impl_path: bad, machine: bad, started: bad,
    invariants: [{id: bad, name: bad, verdict: bad, evidence: bad}],
    findings: [{check: bad, what: bad, found_by: bad, transcript: bad, story: `1. ${bad}\n*** ${bad}\n`}],
    checks: Array.from({length: 10000}, (_, i) => row(i)),
    classes: {[bad]: 7, none: 0},
    fuzz: {targets: [{target: bad, samples: [{seconds: 1, coverage: 2}, {seconds: 2, coverage: 3}]}]},
    mutation: {files: [{name: bad, caught: 1, survived: 1}], survivors: [{file: bad, line: 3, diff: `-${bad}\n+${bad}`}]},
    bench: {rows: [{name: bad, ns: 2, ns_low: 1, ns_high: 3, floor_ns: 1}]},
    gate: {rows: [{workload: bad, ratio: .01, interval: [0, .02], verdict: bad}]},
    replay: [{trace: bad, budget_bytes: 1, key_len: 2}, {trace: bad, budget_bytes: 2, key_len: 2}],
    plan: {terms: [{state: bad, kind: bad}]},
    [bad]: {[bad]: bad},
  };
};

const browser = await playwright.chromium.launch({
  executablePath: kBrowser,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const open = async (path, options = {}) => {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => /^(file|data):/.test(request.url()) || faults.push(`asked for ${request.url()}`));
  const start = performance.now();
  await page.goto(pathToFileURL(path).href, {waitUntil: 'load'});
  return {page, context, faults, ms: performance.now() - start};
};

const seriousFaults = async (page) => {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run());
  return violations.filter(({impact}) => impact === 'serious' || impact === 'critical')
      .map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 200)}`);
};

const checkRealPage = async () => {
  const path = report('real', results);
  assert.ok(statSync(path).size < kMostBytes, `the page has ${statSync(path).size} bytes`);
  // The first start of a browser reads itself from disk; the page is what is timed.
  await (await open(path)).context.close();
  const times = [];
  for (let i = 0; i < 3; ++i) {
    const {context, ms, faults} = await open(path);
    times.push(ms);
    assert.deepEqual(faults, []);
    await context.close();
  }
  assert.ok(Math.min(...times) < kMostOpenMs, `opens in ${times.map(Math.round)} ms`);
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
      const {page, context} = await open(path, {colorScheme, viewport: {width, height: 900}});
      assert.match(await page.locator('h1').innerText(), /May this go upstream\?\s+(Yes|No|Not shown|These)/);
      assert.match(await page.title(), /^May this go upstream\?/);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(beyond <= 0, `at ${width} the page is ${beyond} px wider than the window`);
      assert.deepEqual(await seriousFaults(page), [], `${colorScheme}, ${width}`);
      if (shots) await page.screenshot({path: join(shots, `page-${colorScheme}-${width}.png`), fullPage: true});
      await context.close();
    }
  }
  const {page, context} = await open(path);
  const promises = page.locator('#invariants tbody tr');
  assert.ok(await promises.count() >= 8, 'a row for each promise');
  const charted = await page.evaluate(() => typeof Chart !== 'undefined');
  const inked = await page.locator('figure.chart canvas').evaluateAll((all) => all.map((canvas) =>
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0)));
  assert.ok(!charted || (inked.length > 0 && inked.every(Boolean)), `charts drawn: ${inked}`);
  await context.close();
  const plain = await open(path, {javaScriptEnabled: false});
  assert.equal(await plain.page.locator('figure.chart:visible').count(), 0, 'no empty charts without scripts');
  assert.ok(await plain.page.locator('#invariants tbody tr').first().isVisible());
  if (shots) {
    await plain.page.pdf({path: join(shots, 'page.pdf'), format: 'A4'});
  }
  await plain.context.close();
  console.log(`real page: ${statSync(path).size} bytes, opens in ${Math.round(Math.min(...times))} ms, ${inked.length} charts`);
};

const checkHostilePage = async () => {
  const path = report('hostile_page', [write('hostile', hostileResult())]);
  const {page, context, faults, ms} = await open(path);
  assert.deepEqual(faults, []);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('#checks tbody tr').count(), 2000);
  assert.match(await page.locator('#checks').innerText(), /8,000 further rows, of 10,000, are in the result.json/);
  assert.ok(statSync(path).size < kMostBytes, `the page has ${statSync(path).size} bytes`);
  await page.locator('#checks summary').click();
  assert.ok(await page.locator('#checks tbody tr').last().isVisible());
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(beyond <= 0, `${beyond} px wider than the window`);
  assert.ok(ms < 3 * kMostOpenMs, `10,000 hostile rows open in ${ms} ms`);
  await context.close();
  console.log(`hostile page: ${statSync(path).size} bytes, opens in ${Math.round(ms)} ms`);
};

let failed = 0;
for (const check of [checkRealPage, checkHostilePage]) {
  try {
    await check();
  } catch (error) {
    failed = 1;
    console.error(`${check.name}: ${error.message}`);
  }
}
await browser.close();
rmSync(work, {recursive: true});
process.exit(failed);
