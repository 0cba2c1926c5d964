import t, { type Test } from 'tap';
import { PixUnavailable } from '../src/errors.ts';
import { profiles } from '../src/profiles/all.ts';
import { clientOf, cob, END_TO_END_ID, type Reply, startPsp, TXID } from './psp.ts';

t.test('listed Pix without their txid are read one by one, where the bank is known for it', async (t) => {
  const pix = { endToEndId: END_TO_END_ID, valor: '1.00', horario: '2026-01-01T00:00:00Z' };
  const bank = await startPsp(t, (request, reply) =>
    reply.json(200, request.url.includes('?') ? { pix: [pix] } : { ...pix, txid: TXID }),
  );
  const at = { tokenUrl: `${bank.url}/oauth/token` };
  const { client } = clientOf(t, bank.url, { profile: profiles.santander, ...at });
  const page = await client.listPix({ from: new Date(0), to: new Date(1_000), page: 0 });
  t.match(page.pix, [{ txid: TXID }]);
});

const problem = { type: 'https://pix.bcb.gov.br/api/v2/error/NaoEncontrado', title: 'Não' };
for (const [what, status, body] of [
  ['does not have', 404, problem],
  ['refuses', 400, problem],
  ['does not serve at this address', 404, 'not found'],
  ['shows unreadably', 200, { endToEndId: END_TO_END_ID }],
] as const)
  t.test(`a listed Pix that the bank ${what} by itself may be of a charge: it is in doubt`, async (t) => {
    const devolucoes = [{ id: 'D1', valor: '1.00', status: 'DEVOLVIDO' }];
    const pix = { endToEndId: END_TO_END_ID, valor: '1.00', horario: '2026-01-01T00:00:00Z', devolucoes };
    const bank = await startPsp(t, (request, reply) =>
      request.url.includes('?') ? reply.json(200, { pix: [pix] }) : reply.json(status, body),
    );
    const at = { tokenUrl: `${bank.url}/oauth/token` };
    const { client } = clientOf(t, bank.url, { profile: profiles.santander, ...at });
    const page = await client.listPix({ from: new Date(0), to: new Date(1_000), page: 0 });
    t.match(page, { pix: [], unreadable: [{ endToEndId: END_TO_END_ID, refunds: [{ id: 'D1' }] }] });
  });

t.test(
  'a return that the list alone shows stays, where the bank shows the Pix by itself without it',
  async (t) => {
    const pix = { endToEndId: END_TO_END_ID, valor: '1.00', horario: '2026-01-01T00:00:00Z' };
    const devolucoes = [{ id: 'D1', valor: '1.00', status: 'DEVOLVIDO' }];
    const bank = await startPsp(t, (request, reply) =>
      reply.json(200, request.url.includes('?') ? { pix: [{ ...pix, devolucoes }] } : { ...pix, txid: TXID }),
    );
    const at = { tokenUrl: `${bank.url}/oauth/token` };
    const { client } = clientOf(t, bank.url, { profile: profiles.santander, ...at });
    const page = await client.listPix({ from: new Date(0), to: new Date(1_000), page: 0 });
    t.match(page, { pix: [{ txid: TXID, refunds: [{ id: 'D1' }] }], unreadable: [] });
  },
);

type Answer = (reply: Reply) => void;
const listedPix = (number: number) => ({
  endToEndId: `E${String(number).padStart(31, '0')}`,
  valor: '1.00',
  horario: '2026-01-01T00:00:00Z',
});
const anHour = { from: new Date(0), to: new Date(3_600_000), page: 0 };

/** A bank that lists these Pix without their txid, and answers for some of them otherwise. */
async function listing(t: Test, listed: number, answers: ReadonlyMap<number, Answer>, timeoutMs = 30_000) {
  const all = Array.from({ length: listed }, (_, number) => listedPix(number));
  const bank = await startPsp(t, (request, reply) => {
    if (request.url.includes('/cob/')) return reply.json(200, cob);
    if (request.url.includes('?')) return reply.json(200, { pix: all });
    const endToEndId = request.url.split('/').at(-1);
    const number = all.findIndex((one) => one.endToEndId === endToEndId);
    const otherwise = answers.get(number);
    return otherwise ? otherwise(reply) : reply.json(200, { ...all[number], txid: TXID });
  });
  const at = { tokenUrl: `${bank.url}/oauth/token`, timeoutMs };
  return clientOf(t, bank.url, { profile: profiles.santander, ...at }).client;
}

const failing: Answer = (reply) => reply.json(500, {});
const hanging: Answer = () => {};
const silences: [string, Answer, number?][] = [
  ['fails to show', failing],
  ['forbids', (reply) => reply.json(403, problem)],
  ['never answers for', hanging, 2_000],
];
for (const [what, answer, timeoutMs] of silences) {
  t.test(`a listed Pix that the bank ${what} by itself holds up no other`, async (t) => {
    const client = await listing(t, 2, new Map([[0, answer]]), timeoutMs);
    const page = await client.listPix(anHour);
    t.match(page, {
      pix: [{ endToEndId: listedPix(1).endToEndId, txid: TXID }],
      unreadable: [{ endToEndId: listedPix(0).endToEndId, txid: null }],
    });
  });
  t.test(`a bank that ${what} no listed Pix by itself fails: none of them is in doubt`, async (t) => {
    const all = new Map([0, 1].map((number) => [number, answer]));
    await t.rejects((await listing(t, 2, all, timeoutMs)).listPix(anHour), { message: /^getPix: / });
  });
}

for (const [what, answer] of [
  ['wants fewer calls', (reply: Reply) => reply.json(429, {})],
  ['closes the connection', ({ raw }: Reply) => raw.destroy()],
] as const)
  t.test(`a bank that ${what} says nothing of one Pix`, async (t) => {
    await t.rejects((await listing(t, 2, new Map([[0, answer]]))).listPix(anHour), PixUnavailable);
  });

t.test('several Pix that fail by themselves stop no later list', async (t) => {
  const client = await listing(t, 12, new Map([0, 1, 2, 3, 4, 5].map((number) => [number, failing])));
  for (let look = 0; look < 3; look += 1) t.equal((await client.listPix(anHour)).pix.length, 6);
  t.equal(client.breakers.lists.state(), 'closed');
});

t.test('Pix that hang leave the others of their page its time, and other calls alone', async (t) => {
  const six = new Map([0, 1, 2, 3, 4, 5].map((number) => [number, hanging]));
  const client = await listing(t, profiles.santander.pageSize, six, 4_000);
  t.match(await client.listPix(anHour), { pix: { length: 14 }, unreadable: { length: 6 } });
  t.equal(client.breakers.others.state(), 'closed');
  t.equal((await client.getCharge(TXID))?.status, 'ATIVA');
});
