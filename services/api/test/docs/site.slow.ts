import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { noBrowser, startBrowser } from '@payments/testing/browser';
import t from 'tap';
import { textNames } from '../../src/docs/languages.ts';
import { obstacles, open, overflow, readers } from './reading.ts';

/** The static site of `npm run docs:site` in a browser, below a path of a server that knows files alone. */
const folder = mkdtempSync(join(tmpdir(), 'payments-site-'));
const root = join(import.meta.dirname, '../../../..');
const program = ['scripts/bootstrap.mjs', 'scripts/src/docs-site/main.ts'];
const write = (...args: string[]) =>
  spawnSync(process.execPath, [...program, ...args], { cwd: root, encoding: 'utf8' });
const site = join(folder, 'site');
const written = write('--out', site);
t.equal(written.status, 0, written.stderr);

const types: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
const server = createServer(({ url = '' }, response) => {
  const { pathname } = new URL(url, 'http://site');
  try {
    const file = join(site, pathname.replace(/^\/some\/where/, '').replace(/\/$/, '/index.html'));
    response.setHeader('content-type', types[extname(file)] ?? 'text/plain');
    response.end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/where/`;
t.teardown(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const pages = ['', 'pt/'].flatMap((language) => [
  language,
  ...textNames.map((name) => `${language}${name}.html`),
]);

for (const page of pages)
  t.test(`nothing is in the way: ${page || 'index'}`, { skip: noBrowser }, async (t) => {
    const browser = await startBrowser(t);
    for (const reader of readers) {
      const reading = await open(browser, base + page, reader);
      await reading.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      t.strictSame(await obstacles(reading), []);
      t.equal(await overflow(reading), 0);
      t.strictSame(reading.complaints, []);
      await reading.page.close();
    }
  });

t.test('a search leads to a place of another page, in both languages', { skip: noBrowser }, async (t) => {
  const { page, complaints } = await open(await startBrowser(t), `${base}pt/`);
  const box = page.getByRole('searchbox');
  await box.fill('idempotency');
  const results = page.locator('.search ul a');
  await results.filter({ hasText: 'Idempotência' }).first().click();
  await page.waitForURL('**/some/where/pt/guide.html#idempotency');
  await page.getByRole('link', { name: 'English' }).dispatchEvent('click');
  await page.waitForURL('**/some/where/guide.html#*');
  await page.getByRole('link', { name: 'Reference', exact: true }).click();
  await page.getByRole('heading', { name: 'Create payment' }).waitFor();
  t.strictSame(complaints, []);
});

t.test('samples name the service, and nothing offers to send them', { skip: noBrowser }, async (t) => {
  const { page } = await open(await startBrowser(t), base);
  const sample = page.locator('#createPayment .side pre.code').first();
  t.match(await sample.textContent(), 'http://localhost:3000/api-public/payments');
  await page.locator('#createPayment .sample-language').selectOption('python');
  t.match(await sample.textContent(), 'import requests');
  t.equal(await page.locator('form:visible').count(), 0);
});

t.test('its pages are small', (t) => {
  for (const page of pages.map((one) => one.replace(/(^|\/)$/, '$1index.html'))) {
    const zipped = gzipSync(readFileSync(join(site, page))).length;
    t.ok(zipped < 30_000, `${page}: ${Math.round(zipped / 1_000)} kB`);
  }
  t.end();
});

t.test('a folder of something else is never emptied, an earlier site is replaced', (t) => {
  const other = write('--out', root);
  t.equal(other.status, 1);
  t.match(other.stderr, 'is no earlier site');
  t.ok(statSync(join(root, 'package.json')).isFile());
  t.equal(write('--out', site).status, 0);
  t.match(write('--service', 'ftp://x').stderr, '--service must be an http or https address');
  t.end();
});
