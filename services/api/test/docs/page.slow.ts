import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noBrowser, type Request, startBrowser } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { open } from './reading.ts';

/** The reference at `/docs`, in a browser. */
const folder = mkdtempSync(join(tmpdir(), 'payments-docs-'));
const DOCS_TOKEN_FILE = join(folder, 'demo-store.json');
writeFileSync(DOCS_TOKEN_FILE, '');
const system = await startSystem({ dispatcher: false, env: { DOCS_TOKEN_FILE } });
t.teardown(async () => {
  await system.stop();
  rmSync(folder, { recursive: true });
});
const store = await system.createStore();
let browser: ReturnType<typeof startBrowser> | undefined;
const theBrowser = () => (browser ??= startBrowser(t));

t.test('a payment is created, read and drawn from the page', { skip: noBrowser }, async (t) => {
  writeFileSync(DOCS_TOKEN_FILE, JSON.stringify({ storeId: store.id, token: store.token }));
  const reading = await open(await theBrowser(), `${system.url}/docs`);
  t.equal(await reading.page.getByLabel('Bearer token').inputValue(), store.token, 'the token is offered');

  const created = JSON.parse(await tried(reading.page, 'createPayment', 200));
  t.match(created, { status: 'pending', amount: 19.9, storeId: store.id });
  const { body: read } = await system.api(`/api-public/payments/${created.id}`, { token: store.token });
  t.equal(read.qrCopyPaste, created.qrCopyPaste, 'it exists');

  t.match(
    JSON.parse(await tried(reading.page, 'getPayment', 200)),
    { id: created.id },
    'its id is filled in',
  );
  await reading.page.locator('#listPayments [name=limit]').fill('1');
  await reading.page.locator('#listPayments [name=status]').selectOption('pending');
  t.match(JSON.parse(await tried(reading.page, 'listPayments', 200)), {
    limit: 1,
    items: [{ id: created.id }],
  });
  await reading.page.locator('#qrCodePNG button[type=submit]').click();
  const image = reading.page.locator('#qrCodePNG output img');
  await image.waitFor();
  const drawn = `(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector('output img'))`;
  t.equal(await reading.page.evaluate(drawn), 512);
  t.strictSame(reading.complaints, [], 'the browser has nothing against it');

  await reading.page.locator('#createPayment [name=body]').fill('{"amount": 1}');
  t.match(await tried(reading.page, 'createPayment', 400), 'Valor mínimo permitido');
});

t.test('the administration is tried with its key', { skip: noBrowser }, async (t) => {
  const { page, complaints } = await open(await theBrowser(), `${system.adminUrl}/docs`);
  await page.getByLabel('Bearer token').fill(system.env.ADMIN_KEY ?? '');
  t.match(JSON.parse(await tried(page, 'listStores', 200)), { items: [{ id: store.id }] });
  t.strictSame(complaints, []);
});

t.test('a token is offered only where a file of one was named, as it is now, and never kept', async (t) => {
  writeFileSync(DOCS_TOKEN_FILE, JSON.stringify({ token: 'pp_one' }));
  const page = await system.api('/docs');
  t.match(page.text, 'value="pp_one"');
  t.equal(page.headers.get('cache-control'), 'no-store');
  writeFileSync(DOCS_TOKEN_FILE, JSON.stringify({ token: 'pp_"><script>' }));
  t.match((await system.api('/docs')).text, 'value="pp_&quot;&gt;&lt;script&gt;"');
  t.match(
    (await system.admin('/docs', { token: '' })).text,
    /id="token"[^>]* value=""/,
    'where none was named',
  );
  for (const content of ['{}', 'no JSON']) {
    writeFileSync(DOCS_TOKEN_FILE, content);
    t.match((await system.api('/docs')).text, /id="token"[^>]* value=""/);
  }
});

t.test('pages are small on the way, in both languages', { skip: noBrowser }, async (t) => {
  const browser = await theBrowser();
  for (const path of ['/docs', '/docs/guide', '/docs/pt', '/docs/pt/guide']) {
    const page = await browser.newPage();
    const answered: Request[] = [];
    page.on('requestfinished', (request) => answered.push(request));
    await page.goto(`${system.url}${path}`, { waitUntil: 'networkidle' });
    const sizes = await Promise.all(answered.map((request) => request.sizes()));
    const whole = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    t.ok(whole > 20_000 && whole < 60_000, `${path}: ${Math.round(whole / 1_000)} kB with all it needs`);
    await page.close();
  }
});

t.test('pages bring everything with them, under a policy without exceptions', async (t) => {
  for (const path of ['/docs', '/docs/guide']) {
    const { text, headers } = await system.api(path);
    t.match(
      headers.get('content-security-policy'),
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    t.notMatch(headers.get('content-security-policy'), /unsafe|https?:/);
    t.notMatch(text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/, 'nothing inline');
    const loaded = text.replace(/<link rel="canonical" href="[^"]+">/, '');
    t.notMatch(loaded, /(?:src|<link[^>]*href)="https?:/, 'nothing of other hosts');
  }
});

/** Sends an operation's form. @returns the body of the response */
async function tried(
  page: Awaited<ReturnType<typeof open>>['page'],
  operation: string,
  status: number,
): Promise<string> {
  const section = page.locator(`#${operation}`);
  await section.locator('button[type=submit]').click();
  await section.locator('output .status', { hasText: String(status) }).waitFor();
  return (await section.locator('output pre').textContent()) ?? '';
}
