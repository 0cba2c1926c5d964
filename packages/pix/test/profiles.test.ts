import t from 'tap';
import { createAddressing } from '../src/addressing.ts';
import { tokenUrlOf } from '../src/profiles/addresses.ts';
import { type Psp, profiles, psps } from '../src/profiles/all.ts';
import { CODE, clientOf, cob, END_TO_END_ID, KEY, startPsp, TXID } from './psp.ts';

t.test('each bank has its name, its sources with their dates, and says what is not known', async (t) => {
  t.equal(psps.length, 12);
  for (const psp of psps) {
    const profile = profiles[psp];
    t.equal(profile.psp, psp);
    t.ok(profile.sources.length > 0 && profile.sources.every(({ where, date }) => where && date), psp);
    if (psp === 'bacen') continue;
    t.ok(profile.unknown.length > 0, psp);
    t.match(profile.production, { url: /^https:/, tokenUrl: /^https:/ }, psp);
    t.equal(new URL(profile.production?.tokenUrl ?? '').pathname, profile.tokenPath, psp);
  }
});

t.test('tokens come from the bank’s own address, or from its path on another host', async (t) => {
  t.equal(
    tokenUrlOf(profiles.bb, 'https://api-pix.bb.com.br/pix/v2/'),
    'https://oauth.bb.com.br/oauth/token',
  );
  t.equal(
    tokenUrlOf(profiles.bb, 'https://api.hm.bb.com.br/pix/v2'),
    'https://oauth.hm.bb.com.br/oauth/token',
  );
  t.equal(tokenUrlOf(profiles.efi, 'http://127.0.0.1:1/v2'), 'http://127.0.0.1:1/oauth/token');
  t.equal(tokenUrlOf(profiles.bacen, 'http://127.0.0.1:1/api/v2'), 'http://127.0.0.1:1/api/v2/oauth/token');
});

t.test('paths, headers and queries are the bank’s; what is not given is left out', async (t) => {
  const santander = createAddressing('https://x/api/v1', profiles.santander, { clientId: 'id' });
  t.same(santander.address('putCharge', '/1'), { origin: 'https://x', path: '/api/v1/cob/1' });
  t.same(santander.address('cancelCharge', '/1'), { origin: 'https://x', path: '/api/v2/cob/1' });
  const bb = createAddressing('https://x/pix/v2', profiles.bb, { clientId: 'id', appKey: 'k y' });
  t.equal(bb.address('listPix', '?inicio=1').path, '/pix/v2/pix?inicio=1&gw-dev-app-key=k+y');
  t.equal(bb.address('pix', '/E1').path, '/pix/v2/pix/E1?gw-dev-app-key=k+y');
  t.same(createAddressing('https://x', profiles.inter, { clientId: 'id' }).headers(), {});
  const inter = createAddressing('https://x', profiles.inter, { clientId: 'id', account: '123' });
  t.same(inter.headers(), { 'x-conta-corrente': '123' });
  const itau = createAddressing('https://x', profiles.itau, { clientId: 'id' });
  t.match(itau.headers(), { 'x-itau-apikey': 'id', 'x-correlationid': /^[\da-f-]{36}$/ });
  t.not(itau.headers()['x-correlationid'], itau.headers()['x-correlationid']);
});

const tokens: [Psp, { url: string; authorization?: string; type: string; body: string }][] = [
  [
    'bb',
    {
      url: '/oauth/token',
      authorization: 'id:se:cret',
      type: 'form',
      body: 'grant_type=client_credentials&scope=',
    },
  ],
  [
    'efi',
    {
      url: '/oauth/token',
      authorization: 'id:se:cret',
      type: 'json',
      body: '{"grant_type":"client_credentials"}',
    },
  ],
  [
    'itau',
    {
      url: '/oauth/token',
      type: 'form',
      body: 'grant_type=client_credentials&client_id=id&client_secret=se%3Acret',
    },
  ],
  [
    'santander',
    { url: '/oauth/token?grant_type=client_credentials', type: 'form', body: 'client_id=id&client_secret=' },
  ],
  [
    'sicoob',
    { url: '/oauth/token', type: 'form', body: 'grant_type=client_credentials&client_id=id&scope=' },
  ],
  [
    'bradesco',
    { url: '/oauth/token', authorization: 'id:se:cret', type: 'form', body: 'grant_type=client_credentials' },
  ],
];
for (const [psp, wanted] of tokens)
  t.test(`how a token is asked for at ${psp}`, async (t) => {
    const bank = await startPsp(t, (_request, reply) => reply.json(200, cob));
    const { client } = clientOf(t, bank.url, {
      profile: profiles[psp],
      tokenUrl: `${bank.url}/oauth/token`,
      clientId: 'id',
      clientSecret: psp === 'sicoob' ? '' : 'se:cret',
      appKey: 'key',
    });
    await client.getCharge(TXID);
    const [request] = bank.received;
    const basic = /^Basic (.+)$/.exec(String(request?.headers.authorization ?? ''))?.[1];
    t.equal(request?.url, wanted.url);
    t.equal(basic && Buffer.from(basic, 'base64').toString(), wanted.authorization);
    t.match(request?.headers['content-type'], wanted.type);
    t.equal(request?.body.slice(0, wanted.body.length), wanted.body);
  });

t.test('what says “there is none” is the bank’s', async (t) => {
  const answers: [Psp, number, unknown][] = [
    ['efi', 400, { nome: 'cobranca_nao_encontrada', mensagem: 'Nenhuma cobrança encontrada' }],
    ['pagbank', 400, { nome: 'devolucao_nao_encontrada', mensagem: 'Nenhuma devolução encontrada' }],
    ['bb', 404, { erros: [{ codigo: '4769515', mensagem: 'Não há informações para os dados informados.' }] }],
    ['sicoob', 404, { mensagens: [{ mensagem: 'não encontrada', codigo: '404' }] }],
  ];
  for (const [psp, status, body] of answers) {
    const bank = await startPsp(t, (_request, reply) => reply.json(status, body));
    const { client } = clientOf(t, bank.url, { profile: profiles[psp], tokenUrl: `${bank.url}/oauth/token` });
    t.equal(await client.getCharge(TXID), null, psp);
    t.equal(await client.getRefund(END_TO_END_ID, 'r1'), null, psp);
    t.equal(await client.getCallback(), null, psp);
    if (status === 400)
      await t.rejects(clientOf(t, bank.url).client.getCharge(TXID), { code: 'PIX_REFUSED' }, 'standard');
  }
});

t.test('what says “nothing in this range” is the bank’s', async (t) => {
  const range = { from: new Date(0), to: new Date(1_000), page: 0 };
  const empty: [
    Psp,
    (reply: {
      raw: { writeHead(status: number): { end(): void } };
      json: (status: number, body: unknown) => void;
    }) => void,
  ][] = [
    ['itau', (reply) => reply.raw.writeHead(204).end()],
    ['bb', (reply) => reply.json(404, { erros: [{ codigo: '4769515' }] })],
  ];
  for (const [psp, answer] of empty) {
    const bank = await startPsp(t, (_request, reply) => answer(reply as never));
    const at = { tokenUrl: `${bank.url}/oauth/token`, key: KEY };
    const { client } = clientOf(t, bank.url, { profile: profiles[psp], ...at });
    t.same(await client.listPix(range), { pix: [], pages: 1, unreadable: [] }, psp);
    await t.rejects(
      clientOf(t, bank.url).client.listPix(range),
      /listPix/,
      'the standard knows no such answer',
    );
  }
});

t.test('a 404 of what stands before the bank is no answer of the bank', async (t) => {
  const gateways: unknown[] = [
    { message: 'no Route matched with those values' },
    { message: 'Missing Authentication Token' },
    { statusCode: 404, error: 'Not Found', message: 'Route GET:/x not found' },
    { timestamp: '2026-01-01T00:00:00Z', status: 404, error: 'Not Found', path: '/x' },
    { fault: { faultstring: 'Unable to identify proxy for host', detail: {} } },
    { httpCode: '404', httpMessage: 'Not Found', moreInformation: 'No resources match requested URI' },
  ];
  for (const body of gateways) {
    const bank = await startPsp(t, (_request, reply) => reply.json(404, body));
    const { client } = clientOf(t, bank.url);
    const wrong = { code: 'PIX_UNAVAILABLE', reason: 'wrong-address', status: 404 };
    await t.rejects(client.getCharge(TXID), wrong);
    await t.rejects(client.requestRefund(END_TO_END_ID, 'r1', 1), wrong, 'nor a verdict on a refund');
  }
});

t.test('a bank that takes a txid once: after a lost answer the charge that is there counts', async (t) => {
  let puts = 0;
  const bank = await startPsp(t, (request, reply) => {
    if (request.method === 'GET') return reply.json(200, { ...cob, pixCopiaECola: CODE });
    puts += 1;
    return reply.json(puts === 1 ? 500 : 409, { nome: 'txid_duplicado' });
  });
  const { client } = clientOf(t, bank.url);
  const charge = await client.putCharge(TXID, { amount: 1000, expiresInSeconds: 60 });
  t.match(charge, { copyAndPaste: CODE, amount: 1000 });
  const other = client.putCharge(TXID, { amount: 999, expiresInSeconds: 60 });
  await t.rejects(other, { code: 'PIX_REFUSED', type: 'txid_duplicado' }, 'another charge does not');
});

t.test('a bank that takes a txid once, and does not say what it has: the charge may be there', async (t) => {
  let puts = 0;
  const bank = await startPsp(t, (request, reply) => {
    if (request.method === 'GET') return reply.json(503, {});
    puts += 1;
    return reply.json(puts === 1 ? 500 : 409, { nome: 'txid_duplicado' });
  });
  const { client } = clientOf(t, bank.url);
  const answer = client.putCharge(TXID, { amount: 1000, expiresInSeconds: 60 });
  await t.rejects(answer, { code: 'PIX_UNAVAILABLE', isNotAsked: false, status: 409 });
});

t.test('nor does a charge of an earlier try that has expired', async (t) => {
  const calendario = { criacao: '2026-01-01T00:00:00Z', expiracao: '60' };
  const bank = await startPsp(t, (request, reply) =>
    request.method === 'GET' ? reply.json(200, { ...cob, calendario }) : reply.json(409, {}),
  );
  let now = Date.parse('2026-01-01T00:00:59Z');
  const { client } = clientOf(t, bank.url, { now: () => now });
  const charge = { amount: 1000, expiresInSeconds: 60 };
  t.match(await client.putCharge(TXID, charge), { amount: 1000 });
  now += 1_000;
  await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_REFUSED' });
});

for (const [status, body] of [
  [204, undefined],
  [200, { mensagem: 'Devolução não encontrada' }],
] as const)
  t.test(`PIX_MISSING may name an answer of ${status}: there is no such thing`, async (t) => {
    const missing = [body ? `${status}:encontrada` : `${status}`];
    const bank = await startPsp(t, (_request, reply) => reply.json(status, body));
    const profile = { ...profiles.bacen, missing };
    const { client } = clientOf(t, bank.url, { profile, tokenUrl: `${bank.url}/oauth/token` });
    t.equal(await client.getRefund(END_TO_END_ID, 'r1'), null);
    t.equal(await client.getCharge(TXID), null);
  });

t.test('a list ends before now where the bank refuses an end to come', async (t) => {
  const bank = await startPsp(t, (_request, reply) => reply.json(200, { pix: [] }));
  const now = Date.parse('2026-01-01T12:00:00.500Z');
  const at = { tokenUrl: `${bank.url}/oauth/token`, now: () => now };
  const { client } = clientOf(t, bank.url, { profile: { ...profiles.bb, query: {} }, ...at });
  await client.listPix({ from: new Date(now - 60_000), to: new Date(now), page: 0 });
  t.match(bank.calls()[0]?.url, 'inicio=2026-01-01T11%3A59%3A00Z&fim=2026-01-01T11%3A59%3A31Z');
  await client.listPix({ from: new Date(now - 1_000), to: new Date(now), page: 0 });
  t.match(bank.calls()[1]?.url, 'inicio=2026-01-01T11%3A59%3A30Z&fim=2026-01-01T11%3A59%3A31Z');
});

t.test('after a refused token the bank is left alone for a while', async (t) => {
  const clock = { now: 0 };
  const bank = await startPsp(
    t,
    (_request, reply) => reply.json(200, cob),
    (_request, reply) => reply.json(401, { error: 'invalid_client' }),
  );
  const { client } = clientOf(t, bank.url, { now: () => clock.now });
  for (let call = 0; call < 5; call += 1)
    await t.rejects(client.getCharge(TXID), { code: 'PIX_REFUSED', operation: 'token' });
  t.equal(bank.received.length, 1);
  clock.now = 15_000;
  await t.rejects(client.getCharge(TXID), { code: 'PIX_REFUSED', operation: 'token' });
  t.equal(bank.received.length, 2);
});
