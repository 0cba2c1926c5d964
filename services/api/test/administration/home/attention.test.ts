import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** The start page links to everything that needs a person, and those pages explain it in words. */
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1', REFUND_RETRY_SECONDS: '600' } });
t.teardown(system.stop);
const { admin, db } = system;
const store = await system.createStore();
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');

const get = async (path: string) => (await person.get(path)).text;
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const move = (id: string, status: string) => admin(`/admin/payments/${id}/status`, { body: { status } });
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);
const at = new Date('2026-03-02T14:05:09.120Z');
const hostile = '<script>alert(1)</script>"';

async function paid(amount: number): Promise<{ id: string; endToEndId: string }> {
  const body = await system.sell(store, { amount });
  const { endToEndId } = (await detail(body.id)).pix[0]!;
  return { id: body.id, endToEndId };
}

async function med({ id, endToEndId }: { id: string; endToEndId: string }, valor: string, state: string) {
  await system.bank('/bank/refunds', { endToEndId, valor });
  await eventually(`a MED to be ${state}`, async () =>
    (await detail(id)).refunds.some((one: { state: string }) => one.state === state) ? true : undefined,
  );
}

/** The start page's figure with this link. */
const figureOf = (start: string, href: string) =>
  new RegExp(`href="${href.replace('?', '\\?')}"><span>([^<]+)</span>\\s*<strong>([^<]+)</strong>`)
    .exec(start)
    ?.slice(1);

t.test('with nothing to do, the start page and its lists say so', async (t) => {
  const start = await get('/panel');
  t.match(start, 'Precisa de atenção');
  const expected = [
    ['/panel/reviews', 'Em análise'],
    ['/panel/refunds?show=owed', 'Devoluções devidas'],
    ['/panel/unmatched-pix', 'Pix sem pagamento'],
    ['/panel/charge-problems', 'Cobranças com problemas'],
    ['/panel/refunds?show=bank', 'Devoluções iniciadas no banco'],
  ] as const;
  for (const [href, label] of expected) t.strictSame(figureOf(start, href), [label, '0']);
  const main = start.slice(start.indexOf('<main'));
  const places = expected.map(([href]) => main.indexOf(`href="${href}"`));
  t.strictSame(
    places,
    [...places].sort((a, b) => a - b),
    'in this order',
  );
  t.match(await get('/panel/refunds'), 'Nenhuma devolução pendente');
  t.match(await get('/panel/unmatched-pix'), 'Nenhum Pix sem pagamento');
  t.match(await get('/panel/charge-problems'), 'Nenhuma cobrança com problemas');
});

t.test('a MED is seen on the payment, in the list and at the start, until it has ended', async (t) => {
  const payment = await paid(100);
  await faults({ slowRefundsMs: 600_000 });
  await med(payment, '30.00', 'processing');
  await faults();
  t.strictSame(figureOf(await get('/panel'), '/panel/refunds?show=bank'), [
    'Devoluções iniciadas no banco',
    '1',
  ]);
  t.match(await get('/panel/refunds?show=bank'), payment.id);
  const page = await get(`/panel/payments/${payment.id}`);
  t.match(
    page,
    /role="alert"><strong>Devolução iniciada pelo banco \(MED\): suspeita de fraude<\/strong>, de <span class="money">R\$ 30,00<\/span>, em andamento\./,
  );
  t.match(page, '<span class="badge busy">Em processamento</span>');
  t.match(page, '<dt>Em devolução</dt>');
  const refused = await person.post(`/panel/payments/${payment.id}/status`, { status: 'paid' });
  t.equal(refused.status, 409);
  t.match(refused.text, 'Nada foi alterado. Há uma devolução em andamento.');

  await system.bank('/bank/clock', { advanceSeconds: 601 });
  await eventually('the end of the MED', async () =>
    (await detail(payment.id)).amount === 70 ? true : undefined,
  );
  await system.bank('/bank/clock', {});
  const ended = await get(`/panel/payments/${payment.id}`);
  t.notMatch(ended, 'em andamento');
  t.match(ended, '<dt>Valor</dt><dd><span class="money">R$ 70,00</span></dd>');
  t.match(ended, '<dt>Devolvido</dt><dd><span class="money">R$ 30,00</span></dd>');
  t.strictSame(figureOf(await get('/panel'), '/panel/refunds?show=bank'), [
    'Devoluções iniciadas no banco',
    '0',
  ]);
});

t.test('what the bank takes of an approved payment whole ends it, in words', async (t) => {
  const payment = await paid(20);
  await med(payment, '20.00', 'refunded');
  await system.waitForStatus(store, payment.id, 'not_approved');
  t.match(await get(`/panel/payments/${payment.id}`), 'O banco devolveu tudo o que foi recebido (MED).');
});

t.test('a MED after the withdrawal began stays in sight; one before it does not', async (t) => {
  const payment = await paid(100);
  await med(payment, '10.00', 'refunded');
  await eventually('the first MED', async () =>
    (await detail(payment.id)).amount === 90 ? true : undefined,
  );
  for (const status of ['paid', 'withdrawal_processing'])
    t.equal((await move(payment.id, status)).status, 200);
  t.notMatch(await get(`/panel/payments/${payment.id}`), 'depois que o saque começou');
  await system.bank('/bank/refunds', { endToEndId: payment.endToEndId });
  await eventually('the second MED', async () =>
    (await detail(payment.id)).amount === 0 ? true : undefined,
  );
  const page = await get(`/panel/payments/${payment.id}`);
  t.match(
    page,
    /de <span class="money">R\$ 90,00<\/span>, feita depois que o saque começou\. O valor do pagamento agora é <span class="money">R\$ 0,00<\/span>/,
  );
  t.equal(page.split('depois que o saque começou').length, 2, 'once');
  t.match(page, '<dt>Valor cobrado</dt><dd><span class="money">R$ 100,00</span></dd>');
});

t.test('charges on which work keeps failing: which, what, why and since when', async (t) => {
  const payment = await paid(33);
  const txid = payment.id.replaceAll('-', '');
  const gone = '0190a5b000007000800000000000000a';
  const problem = { tries: 3, since: at, tryAt: null };
  // A scan ends the problems of charges that are not being cancelled.
  await db.updateTable('payments').set({ chargeState: 'cancelling' }).where('id', '=', payment.id).execute();
  await db
    .insertInto('chargeProblems')
    .values([
      {
        ...problem,
        bank: 'default',
        txid,
        paymentId: payment.id,
        work: 'settle',
        error: { code: 'charge_unknown' },
      },
      {
        ...problem,
        bank: 'default',
        txid,
        paymentId: payment.id,
        work: 'cancel',
        error: { code: 'told', detail: hostile },
      },
      {
        ...problem,
        bank: 'default',
        txid: gone,
        paymentId: '0190a5b0-0000-7000-8000-00000000000a',
        work: 'expire',
        error: { code: 'unexpected', detail: 'x' },
      },
    ])
    .execute();
  t.strictSame(figureOf(await get('/panel'), '/panel/charge-problems'), ['Cobranças com problemas', '3']);
  const list = await get('/panel/charge-problems');
  for (const words of [
    'O banco não conhece a cobrança.',
    'Conferir o que foi pago',
    'Cancelar a cobrança',
    'Encerrar a cobrança vencida',
    '02/03/2026 11:05:09',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    `href="/panel/payments/${payment.id}"`,
    'Nenhum pagamento',
  ])
    t.match(list, words);
  t.notMatch(list, '<script>alert');
  t.notMatch(list, 'href="/panel/payments/0190a5b0', 'no link to a payment that is not there');
  t.match(await get(`/panel/payments/${payment.id}`), 'Conferir o que foi pago falhou 3 vezes');
  await db.deleteFrom('chargeProblems').execute();
});
