import { nothingOpen } from '@payments/database/refunds/refunds';
import { dayOf } from '@payments/domain/days';
import { noBrowser, type Page, startBrowser } from '@payments/testing/browser';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { Secret, TOTP } from 'otpauth';
import t, { type Test } from 'tap';
import { look, openPage, widths } from './panel-look.ts';

/**
 * Every page of the panel, light and dark, on a phone and on a desktop, passes axe-core (WCAG 2.2 AA), logs nothing
 * to the console and fits the screen. PANEL_PICTURES=<folder> also takes a picture of each page.
 */
// Every page is checked several times, which takes long on a busy machine.
t.setTimeout(600_000);

t.test('every page, on every screen', { skip: noBrowser }, async (t) => {
  // So long that no page asks for a new proof because the machine is slow.
  const env = { WEBHOOK_RETRY_SECONDS: '0.05,600', PROOF_SECONDS: '28800' };
  const system = await startSystem({ env });
  t.teardown(system.stop);
  const paths = await prepare(t, system);
  const browser = await startBrowser(t);
  for (const width of widths) {
    const { context, page, complaints } = await openPage(browser, width);
    await page.goto(`${system.adminUrl}/panel/sign-in`);
    await look(t, page, `sign-in-password-${width}`);
    await page.getByText('Entrar com a chave de administração').click();
    await look(t, page, `sign-in-${width}`);
    await page.goto(`${system.adminUrl}/panel/forgotten-password`);
    await look(t, page, `forgotten-password-${width}`);
    await page.getByLabel('E-mail').fill(`p${width}@loja.example`);
    await page.getByRole('button', { name: 'Enviar link' }).click();
    await page.getByText('Confira o seu e-mail').waitFor();
    await look(t, page, `forgotten-password-asked-${width}`);
    await page.goto(`${system.adminUrl}/panel/sign-in?with=key`);
    await look(t, page, `sign-in-key-${width}`);
    await page.getByLabel('Chave de administração').fill('test-admin-key');
    await page.getByRole('button', { name: 'Entrar' }).click();
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(system.adminUrl + path);
      await page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true })");
      await look(t, page, `${name}-${width}`);
    }
    await pauseByKeyboard(page, `${system.adminUrl}/panel/banks`);
    await look(t, page, `bank-resumed-${width}`);
    await askForRefund(page, system.adminUrl + paths['payment-approved']);
    await look(t, page, `refund-confirmation-${width}`);
    await asPerson(t, page, system, width);
    const unexpected = complaints.filter((line) => !/status of (404|409)/.test(line));
    t.strictSame(unexpected, [], `console, ${width}`);
    await context.close();
  }
});

t.test('a statement on paper is a table in light colours', { skip: noBrowser }, async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const store = await system.createStore({ name: 'Café do Mercado' });
  const { body: payment } = await system.api('/api-public/payments', {
    token: store.token,
    body: { amount: 30 },
  });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await eventually('the approval', async () => {
    const { body } = await system.admin(`/admin/payments/${payment.id}`);
    return body.status === 'approved' || undefined;
  });
  const { page } = await openPage(await startBrowser(t), 1280);
  await page.goto(`${system.adminUrl}/panel/sign-in?with=key`);
  await page.getByLabel('Chave de administração').fill('test-admin-key');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.waitForURL(/panel$/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${system.adminUrl}/panel/totals?by=store`);
  const colour = () => page.evaluate('getComputedStyle(document.body).color');
  const dark = await colour();
  // A4 within margins of a centimetre.
  await page.setViewportSize({ width: 718, height: 1_047 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  t.not(await colour(), dark, 'the dark theme is for screens');
  for (const path of ['/panel/totals?by=store', `/panel/stores/${store.id}/statement`]) {
    await page.goto(system.adminUrl + path);
    t.equal(
      await page.evaluate("getComputedStyle(document.querySelector('.table td')).display"),
      'table-cell',
      path,
    );
    t.equal(await page.locator('.button:visible').count(), 0, `${path}: nobody presses paper`);
  }
});

/** Looks at the pages of a person with an account: the invitation, Minha conta, the second factor, a passkey. */
async function asPerson(
  t: Test,
  page: Page,
  { admin, adminUrl, db }: Awaited<ReturnType<typeof startSystem>>,
  width: number,
): Promise<void> {
  const person = { name: 'Carla Dias', email: `carla${width}@loja.example`, role: 'owner' };
  const { invitationUrl } = (await admin('/admin/accounts', { body: person })).body;
  await page.goto(adminUrl + new URL(invitationUrl).pathname);
  await look(t, page, `invitation-${width}`);
  await page.getByLabel('Senha').fill('uma frase bem comprida');
  await page.getByRole('button', { name: 'Definir senha e entrar' }).click();
  await page.getByText('Senha definida.').waitFor();
  await look(t, page, `my-account-person-${width}`);
  await page.locator('#current-for-second-factor').fill('uma frase bem comprida');
  await page.getByRole('button', { name: 'Ativar segundo fator' }).click();
  await page.getByText('Leia o código').waitFor();
  await look(t, page, `second-factor-${width}`);
  const secret = (await page.getByLabel('Chave do segundo fator', { exact: true }).textContent()) ?? '';
  await page.getByLabel('Código').fill(new TOTP({ secret: Secret.fromBase32(secret.trim()) }).generate());
  await page.getByRole('button', { name: 'Ativar' }).click();
  await page.getByText('Guarde estes códigos').waitFor();
  await look(t, page, `recovery-codes-${width}`);
  await db
    .updateTable('sessions')
    .set({ provedAt: new Date('2026-01-01') })
    .execute();
  await page.goto(`${adminUrl}/panel/keys`);
  await page.getByLabel('Nome').fill('Robô');
  await page.getByRole('button', { name: 'Criar chave' }).click();
  await page.getByRole('heading', { name: 'Confirme que é você' }).waitFor();
  await look(t, page, `proof-${width}`);
  await page.goto(`${adminUrl}/panel/sign-in/passkey`);
  await look(t, page, `passkey-${width}`);
}

/** Goes to the confirmation page of a refund by keyboard alone. */
async function askForRefund(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByText('Devolver a quem pagou').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.234,56');
  await page.keyboard.press('Enter');
  await page.getByText('maior do que o que resta a devolver: R$ 309,90').first().waitFor();
  await page.getByLabel('Valor a devolver').fill('100,5');
  await page.getByLabel('Valor a devolver').press('Enter');
  await page.getByRole('button', { name: 'Devolver R$ 100,50' }).waitFor();
}

/** Pauses the bank by keyboard alone, sees why, and resumes it. */
async function pauseByKeyboard(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByText('Pausar', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Manutenção do banco, avisada com uma frase bastante comprida. ');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Banco pausado').waitFor();
  await page.getByRole('button', { name: 'Retomar default' }).press('Enter');
  await page.getByText('Banco retomado').waitFor();
}

/** Fills every page with data. @returns the pages by name */
async function prepare(
  t: Test,
  system: Awaited<ReturnType<typeof startSystem>>,
): Promise<Record<string, string>> {
  const good = await startReceiver();
  const bad = await startReceiver({
    answer: () => ({ status: 500, body: '<html><body><h1>Internal Server Error</h1></body></html>' }),
  });
  t.teardown(() => Promise.all([good.close(), bad.close()]));
  const store = await system.createStore({
    name: 'Café do Mercado',
    feePercent: 1.5,
    feeFixed: 0.3,
    reviewAbove: 500,
  });
  await system.admin(`/admin/stores/${store.id}/tokens`, { body: {} });
  const other = await system.createStore({ name: `Livraria ${'daEsquina'.repeat(20)} Ltda.` });
  await system.admin(`/admin/stores/${other.id}/payments`, { body: { amount: 12, webhookUrl: bad.url } });
  await system.admin(`/admin/stores/${other.id}`, { method: 'PATCH', body: { active: false } });
  const charge = async (body: Record<string, unknown>) =>
    (await system.admin(`/admin/stores/${store.id}/payments`, { body })).body;
  const pay = (payment: { qrCopyPaste: string | null }, valor?: string) =>
    system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, ...(valor ? { valor } : {}) });
  const reach = (id: string, status: string) =>
    eventually(`${id} to be ${status}`, async () => {
      const { body } = await system.admin(`/admin/payments/${id}`);
      return body.status === status ? body : undefined;
    });

  const observation = 'Pedido 1042, entrega na portaria até as 18 h. '.repeat(4);
  const pending = await charge({
    amount: 49.9,
    email: 'ana.maria@example.com',
    observation,
    webhookUrl: good.url,
  });
  const approved = await charge({ amount: 349.9, email: 'joao@example.com', webhookUrl: bad.url });
  const review = await charge({ amount: 750, webhookUrl: good.url });
  const refused = await charge({ amount: 19.9 });
  const cancelled = await charge({ amount: 5 });
  await pay(approved);
  await pay(review);
  await pay(refused, '18.00');
  await reach(approved.id, 'approved');
  await reach(review.id, 'review');
  await reach(refused.id, 'review');
  await system.admin(`/admin/payments/${refused.id}/status`, {
    body: { status: 'not_approved', reason: 'Valor diferente, combinado com o cliente.' },
  });
  await system.admin(`/admin/payments/${cancelled.id}/status`, { body: { status: 'not_approved' } });
  await eventually('refund', async () =>
    (await system.admin(`/admin/payments/${refused.id}`)).body.refunds[0]?.state === 'refunded'
      ? true
      : undefined,
  );
  const owed = await charge({ amount: 80 });
  await pay(owed, '75.00');
  await reach(owed.id, 'review');
  await returns(system, { med: approved.id, owed: owed.id });
  await system.db
    .updateTable('deliveries')
    .set({ state: 'dead', nextAttemptAt: null })
    .where('url', '=', bad.url)
    .execute();

  await system.admin('/admin/keys', { body: { name: 'ERP da matriz', role: 'finance' } });
  await system.admin('/admin/keys', { body: { name: 'Caixa', role: 'store_viewer', storeId: other.id } });
  const request = { name: `Beatriz ${'Wolfeschlegel'.repeat(5)}`, role: 'store_admin', storeId: other.id };
  const { body: bia } = await system.admin('/admin/accounts', {
    body: { ...request, email: 'beatriz.souza@cafe-do-mercado.example' },
  });
  const today = dayOf(new Date());
  await system.admin(`/admin/reconciliation?date=${today}`);
  return {
    start: '/panel',
    payments: '/panel/payments',
    'payments-none': '/panel/payments?q=ninguem@example.com',
    'payment-pending': `/panel/payments/${pending.id}?done=payment-created`,
    'payment-approved': `/panel/payments/${approved.id}`,
    'payment-review': `/panel/payments/${review.id}`,
    'payment-refunded': `/panel/payments/${refused.id}`,
    'payment-owed': `/panel/payments/${owed.id}`,
    'payments-found': '/panel/payments?q=pedido&from=2020-01-01',
    'refunds-found': '/panel/refunds?show=bank&from=2020-01-01',
    'deliveries-found': '/panel/deliveries?from=2020-01-01',
    totals: '/panel/totals',
    'totals-by-store': '/panel/totals?by=store',
    statement: `/panel/stores/${store.id}/statement`,
    'statement-none': `/panel/stores/${other.id}/statement?by=month`,
    reconciliation: '/panel/reconciliation',
    'reconciliation-day': `/panel/reconciliation/${today}?done=day-checked`,
    reviews: '/panel/reviews',
    refunds: '/panel/refunds',
    'unmatched-pix': '/panel/unmatched-pix',
    'charge-problems': '/panel/charge-problems',
    deliveries: '/panel/deliveries',
    'deliveries-dead': '/panel/deliveries?state=dead&count=2',
    endpoints: '/panel/deliveries/endpoints',
    banks: '/panel/banks?done=bank-paused',
    stores: '/panel/stores',
    changes: '/panel/changes',
    'refunds-made': '/panel/refunds?show=made',
    attention: '/panel/attention',
    status: '/panel/status',
    'store-changes': `/panel/stores/${store.id}/changes`,
    'store-new': '/panel/stores/new',
    'store-profile': `/panel/stores/${store.id}`,
    'store-tab': `/panel/stores/${store.id}/store?done=store-saved`,
    'store-tab-inactive': `/panel/stores/${other.id}/store`,
    'payment-new': `/panel/stores/${store.id}/payments/new`,
    'payment-new-inactive': `/panel/stores/${other.id}/payments/new`,
    'my-account': '/panel/my-account?done=sessions-ended',
    accounts: '/panel/accounts',
    account: `/panel/accounts/${bia.id}?done=account-saved`,
    'account-new': '/panel/accounts/new',
    keys: '/panel/keys',
    'not-found': '/panel/nowhere',
  };
}

/** Makes an unfinished MED, an owed refund, an unmatched Pix and a failing charge. */
async function returns(
  system: Awaited<ReturnType<typeof startSystem>>,
  { med, owed }: { med: string; owed: string },
): Promise<void> {
  const { admin, bank, db } = system;
  const refundIn = (id: string, state: string) =>
    eventually(`a refund to be ${state}`, async () => {
      const { refunds } = (await admin(`/admin/payments/${id}`)).body;
      return refunds.find((refund: { state: string }) => refund.state === state);
    });
  const { endToEndId } = (await admin(`/admin/payments/${med}`)).body.pix[0]!;
  await bank('/bank/faults', { slowRefundsMs: 600_000 });
  await bank('/bank/refunds', { endToEndId, valor: '40.00' });
  await refundIn(med, 'processing');
  await bank('/bank/faults', { slowRefundsMs: 0, refuseRefunds: true });
  await admin(`/admin/payments/${owed}/status`, { body: { status: 'not_approved' } });
  const { id } = await refundIn(owed, 'failed');
  await bank('/bank/faults', {});
  await db
    .updateTable('refunds')
    .set({ ...nothingOpen, owed: 7_500 })
    .where('id', '=', id)
    .execute();
  const at = new Date();
  await db
    .insertInto('pixReceived')
    .values({
      bank: 'default',
      endToEndId: 'E00000000202603021405s0123456789',
      paymentId: null,
      txid: '0190a5b000007000800000000000000a',
      amount: 4_200,
      effect: 'unmatched',
      unmatched: 'no_payment',
      paidAt: at,
      receivedAt: at,
    })
    .execute();
  await db
    .insertInto('chargeProblems')
    .values({
      bank: 'default',
      txid: med.replaceAll('-', ''),
      work: 'settle',
      paymentId: med,
      error: { code: 'status', operation: 'getCob', detail: '503' },
      tries: 4,
      since: at,
      tryAt: new Date(at.getTime() + 600_000),
    })
    .execute();
}
