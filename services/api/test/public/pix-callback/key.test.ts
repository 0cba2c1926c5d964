import { callbackSecretOf } from '@payments/pix/callback';
import { eventually, startSystem } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';

/** A Pix key that the settings write otherwise than DICT does. The simulated bank knows only DICT's form, as banks do. */
const lines: { msg: string; bank?: string }[] = [];
const system = await startSystem({
  dispatcher: false,
  env: { PIX_KEY: ' PIX@Example.COM' },
  log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }),
});
t.teardown(system.stop);

t.test('the start says so, without the key', async (t) => {
  const said = lines.filter(({ msg }) => msg.startsWith('PIX_KEY is written otherwise than in DICT'));
  t.match(said, [{ bank: 'default' }]);
  t.notMatch(JSON.stringify(said), /example/i);
});

t.test('the bank gets DICT’s form: with a charge, and with the callback’s address', async (t) => {
  const { token } = await system.createStore();
  const { body } = await system.api('/api-public/payments', { token, body: { amount: 10 } });
  t.ok(body.qrCopyPaste, 'the bank takes the charge');
  const { webhooks } = system.simulator.bank.ledger;
  await eventually('the callback to be registered', async () => webhooks.get('pix@example.com'));
  t.strictSame([...webhooks.keys()], ['pix@example.com']);
});

t.test('a callback is ours, however it writes the key', async (t) => {
  const store = await system.createStore();
  await system.bank('/bank/faults', { dropCallbacks: true });
  for (const chave of ['pix@example.com', 'Pix@EXAMPLE.com ']) {
    const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
    const paid = await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
    const { endToEndId, txid, valor } = paid.body;
    const pix = [{ endToEndId, txid, valor, chave, horario: new Date().toISOString() }];
    const path = `/pix-callback/${callbackSecretOf('default', 'secret')}/pix`;
    t.equal((await system.api(path, { body: { pix } })).status, 200);
    t.match(await system.waitForStatus(store, body.id, 'approved'), { status: 'approved' }, chave);
  }
});
