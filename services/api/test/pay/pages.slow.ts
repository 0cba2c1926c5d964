import { join } from 'node:path';
import { noBrowser, startBrowser, watchTexts } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { obstacles, open, overflow } from '../docs/reading.ts';

/**
 * Each state of the payer's page passes axe-core and fits the screen, light and dark, on a phone and on a desktop. The
 * page follows its payment by itself.
 * PAYER_PICTURES=<folder> also takes a picture of each.
 */
const pictures = process.env.PAYER_PICTURES;
const system = await startSystem();
t.teardown(system.stop);
// Every state is checked on four screens, which takes long on a busy machine.
t.setTimeout(600_000);
const store = await system.createStore({
  name: 'Livraria da Esquina com um nome bastante comprido Ltda.',
  reviewAbove: 500,
});
const create = async (amount = 49.9) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount } })).body;
const pay = ({ qrCopyPaste }: { qrCopyPaste: string | null }) =>
  system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
const urlOf = ({ id }: { id: string }) => `${system.url}/pay/${id}`;
const readers = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** @returns a payment in each state, and an unknown one */
async function everyState(): Promise<Record<string, string>> {
  const [waiting, paid, review, closed] = [
    await create(1_234.56),
    await create(10),
    await create(600),
    await create(20),
  ];
  await pay(paid);
  await pay(review);
  await system.waitForStatus(store, paid.id, 'approved');
  await system.waitForStatus(store, review.id, 'review');
  await system.admin(`/admin/payments/${closed.id}/status`, { body: { status: 'not_approved' } });
  const overdue = await create(30);
  await system.db
    .updateTable('payments')
    .set({ expiresAt: new Date() })
    .where('id', '=', overdue.id)
    .execute();
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const preparing = await create(40);
  const unknown = { id: '0190a5b0-0000-7000-8000-000000000000' };
  const all = { waiting, paid, review, closed, overdue, preparing, unknown };
  return Object.fromEntries(Object.entries(all).map(([name, payment]) => [name, urlOf(payment)]));
}

t.test(
  'each state is read by everyone, on a phone and a desktop, light and dark',
  { skip: noBrowser },
  async (t) => {
    const browser = await startBrowser(t);
    const states = await everyState();
    for (const [state, url] of Object.entries(states)) {
      for (const reader of readers) {
        const reading = await open(browser, url, reader);
        const who = `${state}, ${reader.width} px, ${reader.colorScheme}`;
        t.strictSame(await obstacles(reading), [], `no obstacle: ${who}`);
        t.equal(await overflow(reading), 0, `no wider than the screen: ${who}`);
        const complaints = reading.complaints.filter((line) => !/status of 404/.test(line));
        t.strictSame(complaints, [], `no complaint of the browser: ${who}`);
        if (pictures) {
          const path = join(pictures, `${state}-${reader.width}-${reader.colorScheme}.png`);
          await reading.page.screenshot({ path, fullPage: true });
        }
        await reading.page.close();
      }
    }
    await system.bank('/bank/faults', {});
  },
);

t.test('a code that comes later appears by itself', { skip: noBrowser }, async (t) => {
  const browser = await startBrowser(t);
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const { page } = await open(browser, urlOf(await create()));
  await page.getByRole('heading', { name: 'Preparando' }).waitFor();
  await system.bank('/bank/faults', {});
  await page.getByRole('button', { name: 'Copiar código' }).waitFor();
});

t.test('the code is copied, and the page turns green by itself', { skip: noBrowser }, async (t) => {
  const browser = await startBrowser(t);
  const payment = await create();
  const { page } = await open(browser, urlOf(payment), readers[0]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  t.equal(await page.getByLabel('Pix copia e cola').inputValue(), payment.qrCopyPaste);
  await page.getByText(/faltam 23 h 59 min/).waitFor();
  const label = await watchTexts(page, 'button[data-copy]');
  await page.getByRole('button', { name: 'Copiar código' }).press('Enter');
  await label('Código copiado');
  t.equal(await page.evaluate('navigator.clipboard.readText()'), payment.qrCopyPaste);
  await pay(payment);
  await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
  t.equal(await page.getByRole('status').textContent(), 'Pagamento confirmado', 'screen readers hear it');
  t.match(await page.title(), 'Pagamento confirmado');
  t.equal(await page.locator('main').getAttribute('class'), 'good');
  t.equal(await page.locator('img, textarea, button').count(), 0);
});
