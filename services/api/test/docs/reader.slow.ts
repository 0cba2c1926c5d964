import { noBrowser, startBrowser, watchTexts } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { open } from './reading.ts';

/** The work of the docs pages' script for a reader. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const docs = `${system.url}/docs`;

t.test('samples follow the form and the token', { skip: noBrowser }, async (t) => {
  const { page, complaints } = await open(await startBrowser(t), docs);
  const creation = page.locator('#createPayment');
  const sample = creation.locator('.side pre.code').first();
  t.match(await sample.textContent(), /^curl http.*Bearer YOUR_TOKEN.*"amount": 19\.9/s);
  await page.getByLabel('Bearer token').fill('pp_mine');
  await creation.locator('[name=Idempotency-Key]').fill("it's one");
  await creation.locator('[name=body]').fill('{"amount": 7, "email": null}');
  t.match(
    await sample.textContent(),
    /Idempotency-Key: it'\\''s one'.*Bearer pp_mine.*"amount": 7,\s+"email": null/s,
  );

  await creation.getByLabel('Language of the samples').selectOption('python');
  t.match(await sample.textContent(), /requests\.post\(.*"email": None/s);
  const list = page.locator('#listPayments');
  t.match(await list.locator('.side pre.code').textContent(), 'import requests', 'every sample changes');
  await list.locator('[name=status]').selectOption('approved');
  t.match(
    await list.locator('.side pre.code').textContent(),
    `${system.url}/api-public/payments?status=approved`,
  );
  await page.reload();
  t.match(await sample.textContent(), 'import requests', 'the choice is kept');
  t.strictSame(complaints, []);
});

t.test('answers are copied', { skip: noBrowser }, async (t) => {
  const browser = await startBrowser(t);
  const { page } = await open(browser, docs);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByLabel('Bearer token').fill(store.token);
  const list = page.locator('#listPayments');
  await list.getByRole('button', { name: 'Try it' }).click();
  await list.locator('output').hover();
  const label = await watchTexts(page, '#listPayments output .copy');
  await list.locator('output .copy').click();
  await label('Copied');
  t.match(JSON.parse(await page.evaluate('navigator.clipboard.readText()')), { items: [], total: 0 });
});

t.test(
  'a code that the clipboard refuses is selected, and the button says so',
  { skip: noBrowser },
  async (t) => {
    const { page, complaints } = await open(await startBrowser(t), docs);
    await page.evaluate(
      "navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
    );
    const frame = page.locator('#createPayment .side .code-frame').first();
    await frame.hover();
    await frame.locator('.copy').click();
    await frame.locator('.copy', { hasText: 'Selected: use Ctrl+C' }).waitFor();
    t.equal(
      await page.evaluate('getSelection().toString().trim()'),
      (await frame.locator('pre').textContent())?.trim(),
    );
    t.strictSame(complaints, []);
  },
);

t.test('the menu shows where the reader is', { skip: noBrowser }, async (t) => {
  const { page } = await open(await startBrowser(t), docs);
  const current = page.locator('.contents [aria-current=location]');
  t.match(await current.textContent(), 'Payments');
  await page.locator('#getPayment').evaluate((section) => section.scrollIntoView());
  await current.filter({ hasText: 'Get payment by id' }).waitFor();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await current.filter({ hasText: 'Health' }).waitFor();
  await page.goto(`${docs}#live`);
  await page.getByRole('heading', { name: 'Liveness' }).waitFor();
});

t.test(
  'a search finds operations, fields and sections, in both languages',
  { skip: noBrowser },
  async (t) => {
    const { page, complaints } = await open(await startBrowser(t), `${docs}/guide`);
    const box = page.getByRole('searchbox', { name: 'Search' });
    const results = page.getByRole('list', { name: 'Results' });
    await box.fill('qrCopyPaste');
    await results.getByRole('link', { name: 'Create payment', exact: true }).waitFor();
    await box.fill('idempotencia');
    await results.getByRole('link', { name: 'Idempotência' }).waitFor();
    await box.fill('no such thing');
    await page.getByText('Nothing found').waitFor();
    t.equal(await results.getByRole('link').count(), 0);
    await box.fill('going live');
    await results.getByRole('link', { name: 'Before going live' }).waitFor();
    await box.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guide#before-going-live');
    t.strictSame(complaints, []);
  },
);

t.test('the guide and the reference lead to each other', { skip: noBrowser }, async (t) => {
  const { page } = await open(await startBrowser(t), `${docs}/guide`);
  await page.getByRole('link', { name: 'Reference', exact: true }).click();
  await page.getByRole('heading', { name: 'Create payment' }).waitFor();
  await page.getByRole('link', { name: 'Guide', exact: true }).click();
  await page.getByRole('heading', { name: 'Integration guide' }).waitFor();
});

t.test('a reader who changes the language stays at the operation', { skip: noBrowser }, async (t) => {
  const { page } = await open(await startBrowser(t), `${docs}#listPayments`);
  // A click by the driver scrolls to where the head would be without being sticky.
  await page.getByRole('link', { name: 'Português' }).dispatchEvent('click');
  await page.getByRole('heading', { name: 'Listar os pagamentos da loja' }).waitFor();
  t.equal(new URL(page.url()).hash, '#listPayments');
});

t.test('what a search finds is there', async (t) => {
  const { body, headers } = await system.api('/docs/search.json');
  t.match(headers.get('content-type'), 'application/json');
  t.ok(body.length > 40);
  const addresses = body.map(({ href }: { href: string }) => href.split('#'));
  for (const page of new Set<string>(addresses.map(([path]: string[]) => path))) {
    const { status, text } = await system.api(page);
    t.equal(status, 200, page);
    for (const [path, id] of addresses) if (path === page) t.ok(text.includes(`id="${id}"`), `${page}#${id}`);
  }
});
