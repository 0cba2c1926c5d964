import t from 'tap';
import { createBreaker } from '../src/breaker.ts';
import { createCaller } from '../src/call.ts';
import { PixUnavailable } from '../src/errors.ts';
import { profiles } from '../src/profiles/all.ts';
import { clientOf, cob, startPsp, TXID } from './psp.ts';

t.test('banks in one process share nothing: neither tokens, nor breakers, nor limits of calls', async (t) => {
  const well = await startPsp(t, (_request, reply) => reply.json(200, cob));
  const failing = await startPsp(t, (_request, reply) => reply.json(503, {}));
  const efi = clientOf(t, well.url, { profile: profiles.efi, clientId: 'efi' }).client;
  const limited = { profile: profiles.sicoob, clientId: 'sicoob', callsPerMinute: 4, timeoutMs: 2_000 };
  const tokenUrl = `${failing.url}/oauth/token`;
  const sicoob = clientOf(t, failing.url, { ...limited, tokenUrl }).client;
  for (let call = 0; call < 4; call += 1) {
    await t.rejects(sicoob.getCharge(TXID), PixUnavailable);
    t.equal((await efi.getCharge(TXID))?.status, 'ATIVA');
  }
  t.equal(efi.breakers.others.state(), 'closed');
  t.match(well.received[0]?.headers['content-type'], 'application/json');
  t.match(failing.received[0]?.body, 'client_id=sicoob');
  t.equal(well.calls().length, 4);
  t.ok(failing.calls().length <= 2, `${failing.calls().length} calls within the limit`);
});

t.test('a call that was sent once is not called unasked when its repetition finds no place', async (t) => {
  const bank = await startPsp(t, (_request, reply) => reply.json(503, {}));
  const { client } = clientOf(t, bank.url, { callsPerMinute: 1, timeoutMs: 3_000 });
  await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'status', isNotAsked: false });
  t.equal(bank.calls().length, 1);
});

t.test('a probe that found no place in time does not keep the breaker from another', async (t) => {
  const clock = { now: 0 };
  const breaker = createBreaker(() => clock.now, { failures: 1, openMs: 10, maxOpenMs: 10 });
  let isPaced = false;
  const call = createCaller({
    addressing: {
      address: () => ({ origin: 'http://psp', path: '/' }),
      headers: () => ({}),
      callbackHeaders: () => ({}),
    },
    pace: async (operation) => {
      if (isPaced) throw new PixUnavailable(operation, 'paced');
    },
    denied: [],
    transport: {
      send: async () => ({ status: isPaced ? 200 : 503, body: {} }),
      certificateEnd: () => null,
      certificate: () => 0,
      close: async () => {},
    },
    tokens: { get: async () => 'token', served: () => {}, replace: async () => null },
    breakers: { creations: breaker, lists: breaker, others: breaker },
    timeoutMs: 100,
    onCall: () => {},
  });
  const operation = { name: 'cancelCharge', method: 'PATCH', at: 'cancelCharge', rest: '' } as const;
  const cancel = () => call({ ...operation, repeatable: false, urgency: 'money', read: (answer) => answer });
  await t.rejects(cancel(), { code: 'PIX_UNAVAILABLE', reason: 'status' });
  isPaced = true;
  clock.now = 10;
  await t.rejects(cancel(), { code: 'PIX_UNAVAILABLE', reason: 'paced' });
  t.equal(breaker.state(), 'open');
  clock.now = 20;
  await t.rejects(cancel(), { code: 'PIX_UNAVAILABLE', reason: 'paced' }, 'the next one is a probe again');
});
