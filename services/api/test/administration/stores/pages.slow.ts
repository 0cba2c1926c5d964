import { noBrowser, type Page, startBrowser } from '@payments/testing/browser';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { look, openPage, widths } from '../panel-look.ts';
import { newPerson, type Person } from '../panel-people.ts';

/** A store's own panel on a phone and on a desktop, light and dark, by axe-core; its token and test event by keyboard. */
t.setTimeout(600_000);

const long = 'Umpalavrasóquenãoacabanuncaemlugarnenhum'.repeat(6);

t.test('a store’s pages, on every screen', { skip: noBrowser }, async (t) => {
  const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05' } });
  t.teardown(system.stop);
  const bad = await startReceiver({ answer: () => ({ status: 500, body: `<h1>${long}</h1>` }) });
  t.teardown(bad.close);
  const { body: store } = await system.admin('/admin/stores', {
    body: { name: `Café ${long}`.slice(0, 200), feePercent: 1.5 },
  });
  const payments = await fill(system, store.id, bad.url);
  const browser = await startBrowser(t);
  for (const width of widths) {
    for (const role of ['store_admin', 'store_viewer'] as const) {
      const { context, page, complaints } = await openPage(browser, width);
      await signIn(page, system.adminUrl, await newPerson(system, { role, storeId: store.id }));
      const paths = { ...ofStore(store.id), ...payments };
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(system.adminUrl + path);
        await page.evaluate(
          "document.querySelectorAll('main details').forEach((one) => { one.open = true })",
        );
        await look(t, page, `${role}-${name}-${width}`);
      }
      await page.goto(`${system.adminUrl}/panel/banks`);
      await page.getByRole('heading', { name: 'Seu perfil não permite esta página.' }).waitFor();
      await look(t, page, `${role}-refused-${width}`);
      t.strictSame(
        complaints.filter((line) => !/status of 403/.test(line)),
        [],
        `console, ${role}, ${width}`,
      );
      await context.close();
    }
    const { body: fresh } = await system.admin('/admin/stores', { body: { name: 'Loja nova' } });
    const { context, page } = await openPage(browser, width);
    await signIn(page, system.adminUrl, await newPerson(system, { role: 'store_admin', storeId: fresh.id }));
    await begin(page, bad.url);
    await look(t, page, `store-tested-${width}`);
    await context.close();
  }
});

function ofStore(id: string): Record<string, string> {
  return {
    start: '/panel',
    payments: '/panel/payments',
    reviews: '/panel/reviews',
    refunds: '/panel/refunds',
    'refunds-made': '/panel/refunds?show=made',
    deliveries: '/panel/deliveries?state=dead',
    endpoints: '/panel/deliveries/endpoints',
    totals: '/panel/totals',
    tab: `/panel/stores/${id}/store`,
    profile: `/panel/stores/${id}`,
    statement: `/panel/stores/${id}/statement`,
  };
}

async function signIn(page: Page, adminUrl: string, { email, password }: Person): Promise<void> {
  await page.goto(`${adminUrl}/panel/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha').fill(password);
  await page.getByLabel('Senha').press('Enter');
  await page.getByRole('heading', { name: 'Vendas' }).waitFor();
}

/** A new store's first steps by keyboard alone: its token, its secret, and a test of its receiver. */
async function begin(page: Page, webhookUrl: string): Promise<void> {
  await page.getByRole('link', { name: 'Loja', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Gerar token' }).press('Enter');
  await page.getByText('Copie agora').waitFor();
  await page.getByRole('heading', { name: 'Primeiros passos' }).waitFor();
  await page.getByRole('button', { name: 'Mostrar segredo' }).press('Enter');
  await page.getByLabel('Segredo em uso', { exact: true }).waitFor();
  await page.getByLabel('URL do webhook').focus();
  await page.keyboard.type(webhookUrl);
  await page.keyboard.press('Enter');
  await page.getByText('HTTP 500').waitFor();
}

/** Fills a store's pages with long texts, a review, a dead delivery and a refund. @returns the payments' pages */
async function fill(
  { admin, bank }: Awaited<ReturnType<typeof startSystem>>,
  storeId: string,
  webhookUrl: string,
): Promise<Record<string, string>> {
  const charge = async (body: object) => (await admin(`/admin/stores/${storeId}/payments`, { body })).body;
  const reach = (id: string, status: string) =>
    eventually(`a payment to be ${status}`, async () =>
      (await admin(`/admin/payments/${id}`)).body.status === status ? true : undefined,
    );
  const texts = { observation: long, email: `${'a'.repeat(60)}@example.com` };
  const [approved, review] = [
    await charge({ amount: 90, webhookUrl, ...texts }),
    await charge({ amount: 20, ...texts }),
  ];
  await bank('/bank/pay', { pixCopiaECola: approved.qrCopyPaste });
  await bank('/bank/pay', { pixCopiaECola: review.qrCopyPaste, valor: '19.00' });
  await reach(approved.id, 'approved');
  await reach(review.id, 'review');
  await admin(`/admin/payments/${approved.id}/refunds`, { body: { amount: 5, reason: long } });
  await eventually('a refund and a dead delivery', async () => {
    const { refunds, deliveries } = (await admin(`/admin/payments/${approved.id}`)).body;
    const isDead = deliveries.some(({ state }: { state: string }) => state === 'dead');
    return (refunds[0]?.state === 'refunded' && isDead) || undefined;
  });
  return {
    'payment-approved': `/panel/payments/${approved.id}`,
    'payment-review': `/panel/payments/${review.id}`,
    'payment-pending': `/panel/payments/${(await charge({ amount: 5 })).id}`,
  };
}
