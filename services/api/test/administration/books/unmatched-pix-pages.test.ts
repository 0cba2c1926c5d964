import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** The panel shows, explains and refunds unmatched Pix. No reconciliation runs meanwhile. */
const system = await startSystem({ dispatcher: false, env: { REFUND_RETRY_SECONDS: '600' } });
t.teardown(system.stop);
const faults = (named: Record<string, unknown>) => system.bank('/bank/faults', named);
await faults({ dropCallbacks: true });
const store = await system.createStore();
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');

const list = async () => (await person.get('/panel/unmatched-pix')).text;
const shows = (words: string) =>
  eventually(words, async () => ((await list()).includes(words) ? true : undefined));
const pathOf = (endToEndId: string) => `/panel/unmatched-pix/${endToEndId}/refund`;
const at = new Date('2026-03-02T14:05:09.120Z');
const hostile = '<script>alert(1)</script>"';

/** Stores an unmatched Pix, as the reconciliation does. */
async function keep(endToEndId: string, reason: string, paidAt = at): Promise<string> {
  const row = {
    endToEndId,
    bank: 'default',
    paymentId: null,
    txid: null,
    amount: 4_200,
    effect: 'unmatched',
  };
  await system.db
    .insertInto('pixReceived')
    .values({ ...row, unmatched: reason, paidAt, receivedAt: paidAt })
    .execute();
  return endToEndId;
}

/** Makes a Pix at the bank. */
async function atBank(): Promise<string> {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 42 } });
  const paid = await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  return keep(paid.body.endToEndId, 'no_payment', new Date());
}

t.test('each with its amount, its times, and why it fits none', async (t) => {
  await keep('E00000000202603021405charge', 'charge_unknown');
  await keep('E00000000202603021405nothere', 'not_in_charge');
  await keep('E00000000202603021405nobody', 'no_payment');
  await keep(`E${hostile}`, hostile);
  const text = await list();
  for (const words of [
    'Nenhum pagamento tem a cobrança deste Pix.',
    'O banco não conhece a cobrança deste Pix.',
    'Este Pix não aparece na cobrança.',
    'R$ 42,00',
    '02/03/2026 11:05:09',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ])
    t.match(text, words);
  t.notMatch(text, '<script>alert');
  t.match(
    (await person.get('/panel')).text,
    /href="\/panel\/unmatched-pix"><span>Pix sem pagamento<\/span>\s*<strong>4</,
  );
});

t.test('given back by a person, once, whatever the bank says first', async (t) => {
  const endToEndId = await atBank();
  t.match(await list(), `action="${pathOf(endToEndId)}?page=1"`);
  await faults({ refuseRefunds: true });
  const order = await person.post(pathOf(endToEndId), { reason: 'não é nosso' });
  t.equal(order.headers.get('location'), '/panel/unmatched-pix?done=refund-requested');
  await shows('Será pedida de novo em');
  t.match(await list(), 'Recusada pelo PSP do pagador');
  t.match((await person.get('/panel/refunds')).text, 'href="/panel/unmatched-pix"', 'refunds lead there');
  await faults({ refuseRefunds: false });
  t.equal((await person.post(pathOf(endToEndId))).status, 303, 'a person need not wait for the service');
  await eventually('its end', async () => ((await list()).includes(endToEndId) ? undefined : true));
  const late = await person.post(pathOf(endToEndId), { reason: 'de novo' });
  t.equal(late.status, 409);
  t.match(late.text, 'Nenhuma devolução foi pedida. Nada resta a devolver deste Pix.');
  const { items } = (await system.admin('/admin/changes')).body;
  t.match(items[1], { action: 'refund.ordered', author: 'ADMIN_KEY', reason: 'não é nosso' });
});

t.test('while it is on its way there is no button', async (t) => {
  const endToEndId = await atBank();
  await faults({ slowRefundsMs: 600_000 });
  const orders = await Promise.all([person.post(pathOf(endToEndId)), person.post(pathOf(endToEndId))]);
  t.strictSame(orders.map(({ status }) => status).sort(), [303, 409], 'two at once order one');
  await shows('Em processamento');
  t.notMatch(await list(), pathOf(endToEndId));
});

t.test('what can’t be ordered is told, and changes nothing', async (t) => {
  const endToEndId = await atBank();
  t.equal((await person.post(pathOf(endToEndId), { _csrf: 'x' })).status, 403);
  const long = await person.post(pathOf(endToEndId), { reason: 'x'.repeat(2_001) });
  t.equal(long.status, 400);
  t.match(long.text, `id="reason-${endToEndId}-error">Pode ter no máximo 2000 caracteres.`);
  for (const unknown of ['E404', '%00', 'E%00'])
    t.equal((await person.post(pathOf(unknown))).status, 404, unknown);
  const refunds = await system.db
    .selectFrom('refunds')
    .select('id')
    .where('endToEndId', '=', endToEndId)
    .execute();
  t.strictSame(refunds, []);
});

t.test('one beyond the first page is told there, with its form and what was typed', async (t) => {
  const now = Date.now();
  const endToEndId = await keep('E00000000202603021405before', 'no_payment', new Date(now - 60_000));
  for (let n = 0; n < 50; n += 1) await keep(`E00000000202603021405page${n}`, 'no_payment', new Date(now));
  t.notMatch(await list(), endToEndId);
  const { text } = await person.get('/panel/unmatched-pix?page=2');
  const [, action = ''] = new RegExp(`action="([^"]*${endToEndId}[^"]*)"`).exec(text) ?? [];
  const reason = 'x'.repeat(2_001);
  const long = await person.post(action, { reason });
  t.equal(long.status, 400);
  t.match(long.text, `id="return-${endToEndId}" open`);
  t.match(long.text, `>\n${reason}</textarea>`);
});
