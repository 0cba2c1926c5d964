import { newId, txidOf } from '@payments/domain/identifiers';
import t from 'tap';
import { buildBrCode } from '../src/brcode.ts';
import { CODE, clientOf, cob, KEY, type Received, registered, startPsp, TXID } from './psp.ts';

const charge = { amount: 1000, expiresInSeconds: 60, storeName: 'Padaria da Ana', storeId: 'store-1' };
const optional = { payerMessage: 'Pedido 42', ...charge };
const refusal = {
  type: 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida',
  detail: 'O campo cob.solicitacaoPagador não respeita o schema.',
};
const isBare = (body: string) => !/solicitacaoPagador|infoAdicionais/.test(body);
const methodsOf = (calls: readonly Received[]) => calls.map(({ method }) => method);

t.test('what a charge can do without can’t prevent it', async (t) => {
  for (const status of [400, 422]) {
    const psp = await startPsp(t, ({ method, body }, reply) => {
      if (method === 'GET') return reply.json(404, {});
      return isBare(body) ? reply.json(201, registered(body)) : reply.json(status, refusal);
    });
    const { client } = clientOf(t, psp.url);
    const taken = await client.putCharge(TXID, optional);
    t.match(taken, { amount: 1000, storeId: null, refusedParts: { status, detail: refusal.detail } });
    t.same(methodsOf(psp.calls()), ['PUT', 'GET', 'PUT', 'PUT']);
    t.equal(client.breakers.creations.failure(), null);
  }
});

t.test('a charge keeps our mark where the PSP refuses what its payer reads alone', async (t) => {
  const isOfPayer = (body: string) => /solicitacaoPagador|Padaria/.test(body);
  const psp = await startPsp(t, ({ method, body }, reply) => {
    if (method === 'GET') return reply.json(404, {});
    return isOfPayer(body) ? reply.json(400, refusal) : reply.json(201, registered(body));
  });
  const taken = await clientOf(t, psp.url).client.putCharge(TXID, optional);
  t.match(taken, { amount: 1000, storeId: 'store-1', refusedParts: { status: 400 } });
  t.same(methodsOf(psp.calls()), ['PUT', 'GET', 'PUT']);
});

t.test('a text that a firewall before the PSP dislikes can’t prevent a charge', async (t) => {
  const psp = await startPsp(t, ({ method, body }, reply) => {
    if (method === 'GET') return reply.json(404, {});
    if (isBare(body)) return reply.json(201, registered(body));
    return reply.raw.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Request Rejected</h1>');
  });
  const { client } = clientOf(t, psp.url);
  for (let tries = 0; tries < 4; tries += 1)
    t.match(await client.putCharge(TXID, optional), { amount: 1000, refusedParts: { status: 403 } });
  t.equal(client.breakers.creations.state(), 'closed');
});

t.test('a charge that the PSP takes costs one call, and lacks nothing', async (t) => {
  const psp = await startPsp(t, ({ body }, reply) => reply.json(201, registered(body)));
  const { client } = clientOf(t, psp.url);
  t.match(await client.putCharge(TXID, optional), { storeId: 'store-1', refusedParts: null });
  t.equal(psp.calls().length, 1);
});

t.test('a refusal that stands is the PSP’s word; one of access is not asked again', async (t) => {
  const puts: [number, number][] = [
    [400, 3],
    [409, 1],
    [403, 1],
  ];
  for (const [status, times] of puts) {
    const psp = await startPsp(t, ({ method }, reply) =>
      reply.json(method === 'GET' ? 404 : status, refusal),
    );
    const { client } = clientOf(t, psp.url);
    const refused = { code: 'PIX_REFUSED', status, detail: refusal.detail };
    await t.rejects(client.putCharge(TXID, optional), refused);
    t.equal(methodsOf(psp.calls()).filter((method) => method === 'PUT').length, times);
  }
});

t.test(
  'a PSP that has the charge already, and refuses it a second time, is not asked a third time',
  async (t) => {
    const psp = await startPsp(t, ({ method }, reply) =>
      method === 'GET' ? reply.json(200, { ...cob, pixCopiaECola: CODE }) : reply.json(400, refusal),
    );
    const { client } = clientOf(t, psp.url);
    t.match(await client.putCharge(TXID, optional), { copyAndPaste: CODE, refusedParts: null });
    t.same(methodsOf(psp.calls()), ['PUT', 'GET']);
  },
);

t.test(
  'a charge that the PSP has already is payable, whatever it means by the time without a zone',
  async (t) => {
    const at = new Date('2026-11-25T21:40:50Z');
    const txid = txidOf(newId(at));
    for (const criacao of [
      '2026-11-25T18:40:51-03:00',
      '2026-11-25T21:40:51Z',
      '2026-11-25T21:40:51',
      '2026-11-25T18:40:51',
      '2026-11-25T18:40:51Z',
    ]) {
      const known = { ...cob, pixCopiaECola: CODE, calendario: { criacao, expiracao: 900 } };
      const psp = await startPsp(t, ({ method }, reply) =>
        method === 'GET' ? reply.json(200, known) : reply.json(409, refusal),
      );
      const now = () => at.getTime() + 60_000;
      const taken = await clientOf(t, psp.url, { now }).client.putCharge(txid, {
        ...charge,
        expiresInSeconds: 840,
      });
      t.match(taken, { copyAndPaste: CODE, createdAt: new Date(at.getTime() + 1_000) }, criacao);
    }
  },
);

const other = buildBrCode({ location: 'pix.example.com/qr/2', merchantName: 'a', merchantCity: 'b' });
const odd: [string, object][] = [
  ['chave', { chave: 'someone@else.example' }],
  ['valor.original', { valor: { original: '1.00' } }],
  ['status', { status: 'REMOVIDA_PELO_PSP' }],
  ['status', { status: 'CONCLUIDA' }],
  ['pixCopiaECola', { pixCopiaECola: 'not a code' }],
  ['pixCopiaECola', { pixCopiaECola: 'x'.repeat(5_000) }],
  ['pixCopiaECola', { pixCopiaECola: other }],
  ['pixCopiaECola', { location: undefined }],
  ['pixCopiaECola', { location: 'x'.repeat(78) }],
];

for (const [field, answer] of odd)
  t.test(`an answer is judged whole: ${field} in ${JSON.stringify(answer).slice(0, 60)}`, async (t) => {
    const psp = await startPsp(t, ({ body }, reply) => reply.json(201, { ...registered(body), ...answer }));
    const { client } = clientOf(t, psp.url);
    const failure = await client.putCharge(TXID, charge).catch((error: Error) => error);
    t.match(failure, { code: 'PIX_UNAVAILABLE', reason: 'unreadable', message: field });
    const [value] = Object.values(answer);
    t.notOk(value && JSON.stringify(failure).includes(value), 'the value is not in the error');
  });

t.test('so is the charge that a PSP has already', async (t) => {
  for (const answer of [{ chave: 'someone@else.example' }, { pixCopiaECola: other }]) {
    const psp = await startPsp(t, ({ method }, reply) =>
      method === 'GET' ? reply.json(200, { ...cob, ...answer }) : reply.json(409, {}),
    );
    const unusable = { code: 'PIX_UNAVAILABLE', reason: 'unreadable' };
    await t.rejects(clientOf(t, psp.url).client.putCharge(TXID, charge), unusable);
  }
});

t.test('our key may be written in another form', async (t) => {
  const chave = KEY.toUpperCase();
  const psp = await startPsp(t, ({ body }, reply) => reply.json(201, { ...registered(body), chave }));
  t.match(await clientOf(t, psp.url).client.putCharge(TXID, charge), { amount: 1000 });
});

t.test('a PSP whose answers to new charges can’t be used is failing', async (t) => {
  let isOdd = true;
  const psp = await startPsp(t, ({ body }, reply) =>
    reply.json(201, { ...registered(body), ...(isOdd && { pixCopiaECola: 'not a code' }) }),
  );
  const clock = { now: 0 };
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  for (let time = 0; time < 3; time += 1)
    await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_UNAVAILABLE', reason: 'unreadable' });
  t.equal(client.breakers.creations.state(), 'open');
  t.match(client.breakers.creations.failure()?.error, { code: 'unreadable', detail: /pixCopiaECola/ });
  await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_UNAVAILABLE', reason: 'breaker-open' });
  isOdd = false;
  clock.now += 5_000;
  t.match(await client.putCharge(TXID, charge), { amount: 1000 });
  t.equal(client.breakers.creations.state(), 'closed');
});

t.test('a PSP whose lists can’t be used is failing; odd entries and charges say nothing of it', async (t) => {
  const range = { from: new Date(0), to: new Date(1_000), page: 0 };
  let answer: unknown = 'OK';
  const psp = await startPsp(t, (_request, reply) => reply.json(200, answer));
  const { client } = clientOf(t, psp.url, { now: () => 0 });
  for (let time = 0; time < 5; time += 1)
    await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'unreadable' });
  t.equal(client.breakers.others.state(), 'closed');
  answer = { pix: [{ valor: 'abc' }] };
  for (let time = 0; time < 5; time += 1) t.equal((await client.listPix(range)).unreadable.length, 1);
  t.equal(client.breakers.lists.state(), 'closed');
  answer = {};
  for (let time = 0; time < 3; time += 1)
    await t.rejects(client.listPix(range), { code: 'PIX_UNAVAILABLE', reason: 'unreadable' });
  t.equal(client.breakers.lists.state(), 'open');
});
