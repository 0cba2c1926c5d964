import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { createPixClient, type PixClient } from '../src/client.ts';
import { PixRefused, PixUnavailable } from '../src/errors.ts';
import { clientOf, cob, END_TO_END_ID, type Handler, startPsp, TXID } from './psp.ts';

const charge = { amount: 1000, expiresInSeconds: 60 };
const cutting: Handler = (_request, reply) => reply.raw.socket?.destroy();
const failing: Handler = (_request, reply) => reply.json(500, {});
const refund = (client: PixClient) => client.requestRefund(END_TO_END_ID, 'r1', 100);

t.test('how often each operation is sent when the PSP fails', async (t) => {
  const operations: [string, number, (client: PixClient) => Promise<unknown>][] = [
    ['putCharge', 2, (client) => client.putCharge(TXID, charge)],
    ['getCharge', 2, (client) => client.getCharge(TXID)],
    ['getRefund', 2, (client) => client.getRefund(END_TO_END_ID, 'r1')],
    ['listPix', 2, (client) => client.listPix({ from: new Date(0), to: new Date(1), page: 0 })],
    ['getCallback', 2, (client) => client.getCallback()],
    ['registerCallback', 2, (client) => client.registerCallback('https://example.com')],
    ['cancelCharge', 1, (client) => client.cancelCharge(TXID)],
    ['requestRefund', 1, refund],
  ];
  for (const [name, times, run] of operations) {
    for (const handler of [failing, cutting]) {
      const psp = await startPsp(t, handler);
      const { client } = clientOf(t, psp.url);
      await t.rejects(run(client), { code: 'PIX_UNAVAILABLE', operation: name });
      t.equal(psp.calls().length, times, name);
    }
  }
});

t.test('a client that is closed sends nothing, and says so', async (t) => {
  const psp = await startPsp(t, failing);
  const client = createPixClient({
    url: psp.url,
    clientId: 'client',
    clientSecret: 'secret',
    key: 'a@example.com',
  });
  await client.close();
  for (const call of [
    () => client.getCharge(TXID),
    () => client.putCharge(TXID, charge),
    () => refund(client),
  ])
    await t.rejects(async () => void (await call()), { code: 'PIX_UNAVAILABLE', reason: 'not-configured' });
  t.equal(psp.calls().length, 0);
});

t.test('a refund is not sent again either when a kept-alive connection turns out dead', async (t) => {
  let refunds = 0;
  const psp = await startPsp(t, (request, reply) => {
    if (request.method === 'GET') return reply.json(200, cob);
    refunds += 1;
    return reply.raw.socket?.resetAndDestroy();
  });
  const { client } = clientOf(t, psp.url);
  await client.getCharge(TXID);
  await t.rejects(refund(client), PixUnavailable);
  t.equal(refunds, 1);
});

t.test('a 100 Continue that nobody asked for is no failure', async (t) => {
  const psp = await startPsp(t, (request, reply) => {
    reply.raw.writeContinue();
    reply.json(request.method === 'PUT' ? 201 : 200, request.url?.includes('devolucao') ? {} : cob);
  });
  const { client, reported } = clientOf(t, psp.url);
  t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA');
  t.equal((await client.getCharge(TXID))?.status, 'ATIVA');
  // The response after it counts.
  await t.rejects(refund(client), { code: 'PIX_UNAVAILABLE', message: /devolucao/ });
  t.ok(
    reported.every(({ outcome }) => outcome === 'ok'),
    'nothing was sent twice',
  );
});

t.test('one repetition is enough for a passing fault', async (t) => {
  let calls = 0;
  const psp = await startPsp(t, (_request, reply) => {
    calls += 1;
    reply.json(calls === 1 ? 502 : 200, cob);
  });
  const { client, reported } = clientOf(t, psp.url);
  t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA');
  t.strictSame(
    reported.map(({ operation, outcome, status }) => [operation, outcome, status]),
    [
      ['token', 'ok', 200],
      ['putCharge', 'unavailable', 502],
      ['putCharge', 'ok', 200],
    ],
  );
});

t.test('429 and 408 are the PSP’s trouble, and 429 is not answered with more calls', async (t) => {
  for (const status of [429, 408]) {
    const psp = await startPsp(t, (_request, reply) => reply.json(status, {}));
    const { client } = clientOf(t, psp.url);
    await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'status', status });
    if (status === 429) t.equal(psp.calls().length, 1);
  }
});

t.test(
  'a PSP that accepts and says nothing, or never ends saying it, costs timeoutMs and no more',
  async (t) => {
    const silent: Handler = () => {};
    const dripping: Handler = (_request, reply) => {
      reply.raw.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => reply.raw.write(' '), 20);
      reply.raw.on('close', () => clearInterval(timer));
    };
    const timeoutMs = 2_000;
    const ask = async (handler: Handler) => {
      let answer: Handler = (_request, reply) => reply.json(200, cob);
      const psp = await startPsp(t, (request, reply) => answer(request, reply));
      const { client } = clientOf(t, psp.url, { timeoutMs });
      t.ok(await client.getCharge(TXID), 'the token is there');
      answer = handler;
      await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'timeout' });
      t.equal(psp.calls().length, 2, 'no time is left to repeat it');
    };
    await Promise.all([silent, dripping].map(ask));
  },
);

t.test('a token server that is silent costs no more either', async (t) => {
  const psp = await startPsp(t, failing, () => {});
  const { client } = clientOf(t, psp.url, { timeoutMs: 100 });
  await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'timeout' });
});

t.test('a refusal says what the PSP said', async (t) => {
  const psp = await startPsp(t, (_request, reply) =>
    reply.json(400, {
      type: 'https://pix.bcb.gov.br/api/v2/error/PixDevolucaoInvalida',
      title: 'Devolução inválida.',
      status: 400,
      detail: 'O id já foi usado.',
    }),
  );
  const { client, reported } = clientOf(t, psp.url);
  await t.rejects(refund(client), {
    code: 'PIX_REFUSED',
    operation: 'requestRefund',
    status: 400,
    type: 'PixDevolucaoInvalida',
    detail: 'O id já foi usado.',
    aboutAccess: false,
  });
  t.match(reported.at(-1), { outcome: 'refused', status: 400 });
});

t.test('404 is null where a thing may be missing, a refusal where it may not', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(404, {}));
  const { client, reported } = clientOf(t, psp.url);
  t.equal(await client.getCharge(TXID), null);
  t.equal(await client.getRefund(END_TO_END_ID, 'r1'), null);
  t.equal(await client.getCallback(), null);
  t.ok(reported.every((call) => call.outcome === 'ok'));
  await t.rejects(client.cancelCharge(TXID), PixRefused);
  await t.rejects(refund(client), PixRefused);
});

t.test('a gateway that finds no bank is not a bank that finds no charge', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.raw.writeHead(404).end('<h1>Not found</h1>'));
  const { client } = clientOf(t, psp.url);
  await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', status: 404 });
  const silent = await startPsp(t, (_request, reply) => reply.raw.writeHead(404).end());
  t.equal(await clientOf(t, silent.url).client.getCharge(TXID), null);
});

t.test('packed answers and those in Latin-1 are read', async (t) => {
  const text = JSON.stringify({ ...cob, solicitacaoPagador: 'Cobrança' });
  const bodies = [gzipSync(text), Buffer.from(text, 'latin1'), Buffer.from(`\uFEFF${text}`)];
  for (const body of bodies) {
    const psp = await startPsp(t, (_request, reply) => reply.raw.writeHead(200).end(body));
    t.match(await clientOf(t, psp.url).client.getCharge(TXID), { txid: TXID });
  }
  const words = Buffer.from('{"title":"Cobrança não encontrada"}', 'latin1');
  const refusing = await startPsp(t, (_request, reply) => reply.raw.writeHead(400).end(words));
  await t.rejects(clientOf(t, refusing.url).client.getCharge(TXID), /Cobrança não encontrada/);
  const damaged = await startPsp(t, (_request, reply) => reply.raw.end(gzipSync(text).subarray(0, 20)));
  await t.rejects(clientOf(t, damaged.url).client.getCharge(TXID), PixUnavailable);
});

t.test('a payer’s words with a line break or another control character hide nothing', async (t) => {
  const pix = [{ endToEndId: END_TO_END_ID, valor: '10.00', infoPagador: '·' }];
  for (const odd of ['a\nb', '\t', '\0', '\x1f\r\n']) {
    const body = JSON.stringify({ ...cob, pix, parametros: {} }, null, 2).replace('·', odd);
    const psp = await startPsp(t, (_request, reply) => reply.raw.writeHead(200).end(body));
    const { client } = clientOf(t, psp.url);
    t.match(await client.getCharge(TXID), { pix: [{ endToEndId: END_TO_END_ID }] });
    const range = { from: new Date(0), to: new Date(1), page: 0 };
    t.match(await client.listPix(range), { pix: [{ endToEndId: END_TO_END_ID }] });
  }
});

t.test('an answer that is no answer is not taken for one', async (t) => {
  const bodies: Handler[] = [
    (_request, reply) => reply.raw.writeHead(200, { 'content-type': 'text/html' }).end('<html>Login</html>'),
    (_request, reply) => reply.json(200, []),
    (_request, reply) => reply.json(200, { status: 'ATIVA' }),
    (_request, reply) => reply.raw.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  ];
  for (const handler of bodies) {
    const psp = await startPsp(t, handler);
    const { client } = clientOf(t, psp.url);
    await t.rejects(client.getCharge(TXID), PixUnavailable);
    await t.rejects(refund(client), PixUnavailable);
  }
});

t.test('the secret in a callback’s address does not come back in an error', async (t) => {
  const psp = await startPsp(t, (request, reply) => reply.json(400, { detail: `bad: ${request.body}` }));
  const { client } = clientOf(t, psp.url);
  const error = await client
    .registerCallback('https://example.com/pix/s3cret')
    .catch((error: Error) => error);
  t.notMatch(String(error), 's3cret');
});

t.test('with the PSP gone, calls soon cost nothing; when it is back, the first probe finds it', async (t) => {
  const clock = { now: 0 };
  const psp = await startPsp(t, (_request, reply) => reply.json(200, cob));
  const port = Number(new URL(psp.url).port);
  psp.server.close();
  const { client, reported } = clientOf(t, psp.url, { now: () => clock.now });

  for (let failure = 0; failure < 2; failure += 1) await t.rejects(client.getCharge(TXID), PixUnavailable);
  t.equal(client.breakers.others.state(), 'open');
  const before = reported.length;
  for (let call = 0; call < 200; call += 1) {
    await client.putCharge(TXID, charge).catch((error: unknown) => error);
  }
  // Creations have a breaker of their own, which opens with the first few.
  const atOnce = reported.slice(before + 10);
  t.ok(atOnce.length >= 190);
  for (const one of atOnce)
    t.match(one, { operation: 'putCharge', outcome: 'short-circuited', durationMs: 0 });

  await new Promise<void>((resolve) => psp.server.listen(port, '127.0.0.1', resolve));
  await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'breaker-open' });
  clock.now += 1000;
  t.equal((await client.getCharge(TXID))?.status, 'ATIVA');
  t.equal(client.breakers.others.state(), 'closed');
});

t.test('an error never says that a call was not made when it was', async (t) => {
  const psp = await startPsp(t, failing);
  const { client } = clientOf(t, psp.url);
  const errors: unknown[] = [];
  for (let call = 0; call < 4; call += 1) {
    await client.putCharge(TXID, charge).catch((error: unknown) => errors.push(error));
  }
  // Three failures open the breaker: the second call's first try is the third one, and is not repeated.
  t.equal(psp.calls().length, 3);
  t.match(errors, [{ status: 500 }, { status: 500 }, { reason: 'breaker-open' }, { reason: 'breaker-open' }]);
});

t.test('what a PSP says of its trouble is told', async (t) => {
  const problem = {
    type: 'https://pix.bcb.gov.br/api/v2/error/ServicoIndisponivel',
    detail: 'Em manutenção.',
  };
  const psp = await startPsp(t, (_request, reply) => reply.json(503, problem));
  const { client } = clientOf(t, psp.url);
  const error = await client.cancelCharge(TXID).catch((error: Error) => error);
  t.equal(
    String(error),
    'PixUnavailable: cancelCharge: the PSP could not serve the request (503 ServicoIndisponivel Em manutenção.)',
  );
});

t.test('a PSP that can not list still takes charges', async (t) => {
  const psp = await startPsp(t, (request, reply) =>
    request.url.includes('/pix?') ? failing(request, reply) : reply.json(200, cob),
  );
  const { client } = clientOf(t, psp.url);
  const range = { from: new Date(0), to: new Date(1_000), page: 0 };
  const errors: unknown[] = [];
  for (let call = 0; call < 4; call += 1) {
    await client.listPix(range).catch((error: unknown) => errors.push(error));
  }
  t.match(errors.at(-1), { reason: 'breaker-open' });
  t.equal(client.breakers.others.state(), 'closed');
  t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA');
});

t.test('refusals and missing charges leave the breaker closed', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(404, {}));
  const { client } = clientOf(t, psp.url);
  for (let call = 0; call < 10; call += 1) {
    await client.getCharge(TXID);
    await client.cancelCharge(TXID).catch((error: unknown) => error);
  }
  t.equal(client.breakers.others.state(), 'closed');
});

t.test('connections are kept: many calls, few connections', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(200, cob));
  let connections = 0;
  psp.server.on('connection', () => {
    connections += 1;
  });
  const { client } = clientOf(t, psp.url);
  for (let call = 0; call < 30; call += 1) await client.getCharge(TXID);
  t.ok(connections <= 2, `${connections} connections`);
});

t.test('an address that is none stops the start', async (t) => {
  t.throws(() => clientOf(t, 'localhost'), { code: 'ERR_INVALID_URL' });
});

t.test('an error of the network tells a code, no address', async (t) => {
  const server = createServer((socket) => socket.end('nonsense\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const { client } = clientOf(t, `http://127.0.0.1:${port}`);
  const error = await client.getCharge(TXID).catch((error: Error) => error);
  t.match(error, { code: 'PIX_UNAVAILABLE', reason: 'network', cause: undefined });
  t.notMatch(String(error), String(port));
});
