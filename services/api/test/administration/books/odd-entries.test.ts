import { dayOf } from '@payments/domain/days';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** The conciliação of a bank that lists entries in a form that can't be read, and of a client that does not wait. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const today = dayOf(new Date());
const path = `/admin/reconciliation?date=${today}`;
const { rules } = system.simulator.bank;
const { showListed } = rules;
t.afterEach(() => Object.assign(rules, { showListed }));

async function paid() {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 42 } });
  const { endToEndId } = (await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste })).body;
  await system.waitForStatus(store, body.id, 'approved');
  return { id: body.id as string, endToEndId: endToEndId as string };
}

t.test('an odd entry is a difference with its endToEndId, and no failure of the bank', async (t) => {
  const { id, endToEndId } = await paid();
  await paid();
  const odd = (entry: object) => (one: { endToEndId?: unknown }) =>
    one.endToEndId === endToEndId ? { ...one, ...entry } : one;
  const about = { endToEndId, paymentId: id, txid: id.replaceAll('-', '') };
  const expected = [
    [{ valor: '42,00' }, [{ kind: 'unreadable', ...about, ourAmount: 42 }]],
    [
      { endToEndId: null },
      [
        { kind: 'unreadable', txid: about.txid },
        { kind: 'missing_at_bank', ...about, ourAmount: 42 },
      ],
    ],
  ] as const;
  for (const [entry, differences] of expected) {
    Object.assign(rules, { showListed: odd(entry) });
    const { status, body } = await system.admin(path);
    t.same([status, body.differences], [200, differences]);
  }
  Object.assign(rules, { showListed: odd({ valor: '42,00' }) });
  const person = panelClient(system.adminUrl);
  await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');
  const page = `/panel/reconciliation/${today}`;
  t.equal((await person.post(page, {}, page)).status, 303);
  const { text } = await person.get(page);
  for (const words of ['Pix que não pudemos ler', endToEndId, `/panel/payments/${id}`]) t.match(text, words);
});

t.test('a return without an id is named with its Pix', async (t) => {
  const { endToEndId } = await paid();
  await system.bank('/bank/faults', { dropCallbacks: true });
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const withoutIds = (one: { devolucoes?: object[] }) => ({
    ...one,
    ...(one.devolucoes && { devolucoes: one.devolucoes.map((refund) => ({ ...refund, id: undefined })) }),
  });
  Object.assign(rules, { showListed: withoutIds });
  // For today, only what was returned before the comparison began is compared.
  const differences = await eventually('the return to be listed', async () => {
    const { body } = await system.admin(path);
    return body.differences.length > 0 ? body.differences : undefined;
  });
  t.match(differences, [{ kind: 'refund_unreadable', endToEndId }]);
  await system.bank('/bank/faults', {});
});

t.test('a client that goes away ends the reading of the bank’s lists', async (t) => {
  let lists = 0;
  let seen = () => {};
  system.simulator.server.prependListener('request', ({ method, url = '' }) => {
    if (method !== 'GET' || !/\/pix\?/.test(url)) return;
    lists += 1;
    seen();
  });
  await system.admin(path);
  const whole = lists;
  t.ok(whole > 20, 'returned Pix are listed for 92 days');
  await system.bank('/bank/faults', { latencyMs: 50, only: ['listPix'] });
  lists = 0;
  const gone = new AbortController();
  const isAsked = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const headers = { authorization: 'Bearer test-admin-key' };
  const left = fetch(`${system.adminUrl}${path}`, { headers, signal: gone.signal });
  await isAsked;
  gone.abort();
  await t.rejects(left, { name: 'AbortError' });
  t.equal((await system.admin(path)).status, 200);
  t.ok(lists < whole * 2, `${lists} lists for the one that waits, which takes ${whole}`);
});
