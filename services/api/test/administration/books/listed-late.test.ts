import { dayOf } from '@payments/domain/days';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The conciliação of a day of which the bank lists a Pix late, before any scan of that day. */
let aheadMs = 0;
const now = () => new Date(Date.now() + aheadMs);
const system = await startSystem({ dispatcher: false, now });
t.teardown(system.stop);
const store = await system.createStore();

async function paidUnheard(amount: number) {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount } });
  const { endToEndId } = (await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste })).body;
  return { id: body.id as string, endToEndId: endToEndId as string };
}

t.test('a look at a day that is over settles first what is not on record', async (t) => {
  await system.bank('/bank/faults', { dropCallbacks: true });
  const day = dayOf(now());
  const { id, endToEndId } = await paidUnheard(10);
  const compare = async () => (await system.admin(`/admin/reconciliation?date=${day}`)).body;
  t.match(await compare(), { isFinal: false, differences: [{ kind: 'missing_here', endToEndId }] }, 'today');
  aheadMs = 2 * 24 * 3_600_000;
  const figures = { pixCount: 1, pixAmount: 10 };
  t.match(await compare(), { isFinal: true, bank: figures, ours: figures, differences: [] });
  const { body } = await system.api(`/api-public/payments/${id}`, { token: store.token });
  t.match(body, { status: 'approved', amount: 10 });
  const told = system.db.selectFrom('notices').select('kind').where('kind', '=', 'reconciliation_differs');
  t.same(await told.execute(), []);
});
