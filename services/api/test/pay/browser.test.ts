import { noBrowser, startBrowser, watchTexts } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { open, readers } from '../docs/reading.ts';

/** The payer's page by itself, in a browser that can do all it asks of it. */
const system = await startSystem();
t.teardown(system.stop);
let browser: ReturnType<typeof startBrowser> | undefined;
const theBrowser = () => (browser ??= startBrowser(t));
const store = await system.createStore();
const create = async (amount = 49.9) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount } })).body;
const pay = ({ qrCopyPaste }: { qrCopyPaste: string | null }) =>
  system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
const urlOf = ({ id }: { id: string }) => `${system.url}/pay/${id}`;

t.test('a code that comes later appears by itself', { skip: noBrowser }, async () => {
  const browser = await theBrowser();
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const { page } = await open(browser, urlOf(await create()));
  await page.getByRole('heading', { name: 'Preparando' }).waitFor();
  await system.bank('/bank/faults', {});
  await page.getByRole('button', { name: 'Copiar código' }).waitFor();
});

t.test('the code is copied, and the page turns green by itself', { skip: noBrowser }, async (t) => {
  const browser = await theBrowser();
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
