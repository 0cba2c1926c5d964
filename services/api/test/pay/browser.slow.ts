import { noBrowser, startBrowser, watchTexts } from '@payments/testing/browser';
import { startBanks } from '@payments/testing/several-banks';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { open } from '../docs/reading.ts';

/** The payer's page in browsers that lack something: a clipboard, event streams, a network, scripts. */
const banks = await startBanks([{ id: 'test' }]);
const system = await startSystem({ env: { TEST_BANK_FILE: banks.write() } });
t.teardown(async () => {
  await system.stop();
  await banks.close();
});
let browser: ReturnType<typeof startBrowser> | undefined;
const theBrowser = () => (browser ??= startBrowser(t));
const store = await system.createStore();
const create = async (amount = 49.9) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount } })).body;
const pay = ({ qrCopyPaste }: { qrCopyPaste: string | null }) =>
  system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
const urlOf = ({ id }: { id: string }) => `${system.url}/pay/${id}`;

// Each has payments of its own, and mostly waits for what a page does by itself.
t.jobs = 4;

const byHand = 'Toque e segure o código para copiar';
const noCommand = 'document.execCommand = () => false';
const rejected =
  "navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))";
const failingClipboards = {
  'a denied permission, and the old command copies nothing': [rejected, noCommand],
  'no clipboard, as in a WebView or on http': [
    "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
    noCommand,
  ],
  'no command either': [rejected, 'delete Document.prototype.execCommand'],
  'a command that throws': [rejected, "document.execCommand = () => { throw new Error('no') }"],
  'a command that answers nothing': [rejected, 'document.execCommand = () => undefined'],
  'a question for permission that stays open': [
    'navigator.clipboard.writeText = () => new Promise((allow) => { window.allow = allow })',
    noCommand,
  ],
};

/** The page's words and picture after a press of its button. */
const afterPress = `(() => {
  const field = document.getElementById('code');
  return {
    isFocused: document.activeElement === field,
    selected: field.value.slice(field.selectionStart, field.selectionEnd),
    label: document.querySelector('[data-copy]').textContent,
  };
})()`;

t.test(
  'where nothing is copied the page says so, with the code selected',
  { skip: noBrowser, buffered: true },
  async (t) => {
    const browser = await theBrowser();
    const payment = await create();
    for (const [lacking, scripts] of Object.entries(failingClipboards)) {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.addInitScript(scripts.join(';'));
      await page.goto(urlOf(payment));
      await page.getByRole('button', { name: 'Copiar código' }).click();
      await page.getByRole('main').getByText(byHand, { exact: true }).waitFor();
      await page.getByRole('status').getByText(byHand, { exact: true }).waitFor({ state: 'attached' });
      const expected = { isFocused: true, selected: payment.qrCopyPaste, label: 'Copiar código' };
      t.strictSame(await page.evaluate(afterPress), expected, lacking);
      t.strictSame(complaints, [], lacking);
      if (lacking.includes('stays open')) {
        const label = await watchTexts(page, 'button[data-copy]');
        await page.evaluate('allow()');
        await label('Código copiado');
        t.equal(await page.getByText(byHand).count(), 0, 'allowed at last: the word is taken back');
      }
      await page.close();
    }
  },
);

t.test(
  'a clipboard that Chromium denies: the old command copies, and only that is called copied',
  { skip: noBrowser, buffered: true },
  async (t) => {
    const browser = await theBrowser();
    const payment = await create();
    const { page } = await open(browser, urlOf(payment));
    const cdp = await page.context().newCDPSession(page);
    const { browserContextId = '' } = (await cdp.send('Target.getTargetInfo')).targetInfo;
    const denied = { permission: { name: 'clipboard-write' }, setting: 'denied' } as const;
    await cdp.send('Browser.setPermission', { ...denied, browserContextId });
    await page.evaluate(
      `document.addEventListener('copy', () => { window.taken = getSelection().toString() })`,
    );
    const label = await watchTexts(page, 'button[data-copy]');
    await page.getByRole('button', { name: 'Copiar código' }).click();
    await label('Código copiado');
    t.equal(await page.evaluate('window.taken'), payment.qrCopyPaste);
  },
);

t.test('without event streams the page asks by itself', { skip: noBrowser, buffered: true }, async () => {
  const browser = await theBrowser();
  for (const lacking of [
    'delete window.EventSource',
    'window.EventSource = class extends EventSource { constructor() { super("/pay/x/events"); } }',
  ]) {
    const payment = await create();
    const page = await browser.newPage();
    await page.addInitScript(lacking);
    await page.goto(urlOf(payment));
    await pay(payment);
    await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
    await page.close();
  }
});

t.test(
  'a closed page asks now and then, and sees a late approval',
  { skip: noBrowser, buffered: true },
  async (t) => {
    const browser = await theBrowser();
    const [closed, approved] = [await create(), await create()];
    await system.admin(`/admin/payments/${closed.id}/status`, { body: { status: 'not_approved' } });
    await pay(approved);
    await system.waitForStatus(store, approved.id, 'approved');
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(urlOf(closed));
    await page.getByRole('heading', { name: 'Pagamento não aprovado' }).waitFor();
    // From now on its address shows what that of an approved payment does.
    const body = await (await fetch(urlOf(approved))).text();
    await page.route(urlOf(closed), (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.clock.fastForward(31_000);
    await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
    t.equal(await page.getByRole('main').getAttribute('data-end'), 'true', 'and asks no more');
    await page.close();
  },
);

t.test('a page that is told to ask does so', { skip: noBrowser, buffered: true }, async (t) => {
  const browser = await theBrowser();
  const payment = await create();
  const page = await browser.newPage();
  let streams = 0;
  await page.route('**/events', async (route) => {
    streams += 1;
    await route.fulfill({ contentType: 'text/event-stream', body: 'event: ask\ndata: \n\n' });
  });
  await page.goto(urlOf(payment));
  await pay(payment);
  await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
  t.equal(streams, 1, 'and opens no stream again');
  await page.close();
});

t.test(
  'a state that is told again is not asked for twice',
  { skip: noBrowser, buffered: true },
  async (t) => {
    const browser = await theBrowser();
    const payment = await create();
    const page = await browser.newPage();
    let [streams, reads] = [0, 0];
    const reopened = Promise.withResolvers<void>();
    await page.route('**/events', async (route) => {
      streams += 1;
      if (streams === 2) reopened.resolve();
      const body = 'retry: 10\ndata: paid\n\ndata: paid\n\n';
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.route(urlOf(payment), async (route) => {
      if (route.request().isNavigationRequest()) return route.continue();
      // It gets no answer.
      reads += 1;
    });
    await page.goto(urlOf(payment));
    await reopened.promise;
    t.equal(reads, 1);
    await page.close();
  },
);

t.test(
  'after a refused deed the page follows its payment',
  { skip: noBrowser, buffered: true },
  async (t) => {
    const browser = await theBrowser();
    const tested = await system.createStore({ test: true });
    const refusedPage = async (javaScriptEnabled: boolean) => {
      const body = { amount: 10 };
      const { id } = (await system.api('/api-public/payments', { token: tested.token, body })).body;
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(urlOf({ id }));
      await page.getByRole('button', { name: 'Devolver pelo banco (MED)' }).click();
      await page.getByRole('alert').waitFor();
      t.equal(page.url(), `${urlOf({ id })}/test`);
      const pay = { token: tested.token, body: { do: 'pay' } };
      t.equal((await system.api(`/api-public/payments/${id}/test`, pay)).status, 202);
      return page;
    };
    for (const javaScriptEnabled of [true, false]) {
      const page = await refusedPage(javaScriptEnabled);
      await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
      await page.context().close();
    }
  },
);

t.test('a stream that breaks is opened again', { skip: noBrowser, buffered: true }, async () => {
  const browser = await theBrowser();
  const payment = await create();
  const { page } = await open(browser, urlOf(payment));
  await page.context().setOffline(true);
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
});

t.test(
  'with JavaScript disabled: the code to select, the picture, and reloads',
  { skip: noBrowser, buffered: true },
  async (t) => {
    const browser = await theBrowser();
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 800 },
    });
    const page = await context.newPage();
    const payment = await create();
    await page.goto(urlOf(payment));
    t.equal(await page.getByLabel('Pix copia e cola').inputValue(), payment.qrCopyPaste);
    t.equal(await page.getByRole('button').count(), 0, 'no button that does nothing');
    t.ok(await page.locator('noscript p').isVisible());
    t.ok(await page.getByAltText('QR Code do Pix').isVisible());
    t.match(await page.locator('noscript p').textContent(), 'toque e segure o código para copiar');
    await page.getByLabel('Pix copia e cola').selectText();
    const end = await page
      .getByLabel('Pix copia e cola')
      .evaluate((field) => (field as unknown as { selectionEnd: number }).selectionEnd);
    t.equal(end, payment.qrCopyPaste?.length, 'the code can be selected');
    await pay(payment);
    await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
  },
);
