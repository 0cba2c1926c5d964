import t from 'tap';
import { clientOf, cob, END_TO_END_ID, KEY, type Received, registered, startPsp, TXID } from './psp.ts';

t.test('what is sent, operation by operation', async (t) => {
  const psp = await startPsp(t, (request, reply) => reply.json(200, answerTo(request)));
  const { client } = clientOf(t, `${psp.url}/api/v2/`);
  const range = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-01-02T00:00:00Z'), page: 2 };

  await client.putCharge(TXID, { amount: 1050, expiresInSeconds: 3600, payerMessage: ' Pedido 42 ' });
  await client.getCharge(TXID);
  await client.cancelCharge(TXID);
  await client.requestRefund(END_TO_END_ID, 'r1', 789);
  await client.getRefund(END_TO_END_ID, 'r1');
  await client.listPix(range);
  await client.listPix({ ...range, page: 0, returned: true });
  await client.registerCallback('https://api.example.com/pix/callback');
  t.equal(await client.getCallback(), 'https://api.example.com/pix/callback');

  const sent = psp.calls().map(({ method, url, body }) => [`${method} ${url}`, body && JSON.parse(body)]);
  t.strictSame(sent, [
    [
      `PUT /api/v2/cob/${TXID}`,
      {
        calendario: { expiracao: 3600 },
        valor: { original: '10.50' },
        chave: KEY,
        solicitacaoPagador: 'Pedido 42',
      },
    ],
    [`GET /api/v2/cob/${TXID}`, ''],
    [`PATCH /api/v2/cob/${TXID}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }],
    [`PUT /api/v2/pix/${END_TO_END_ID}/devolucao/r1`, { valor: '7.89' }],
    [`GET /api/v2/pix/${END_TO_END_ID}/devolucao/r1`, ''],
    [
      '/api/v2/pix?inicio=2026-01-01T00%3A00%3A00Z&fim=2026-01-02T00%3A00%3A00Z' +
        '&paginacao.paginaAtual=2&paginacao.itensPorPagina=100',
      '',
    ].map((part, index) => (index === 0 ? `GET ${part}` : part)),
    [
      'GET /api/v2/pix?inicio=2026-01-01T00%3A00%3A00Z&fim=2026-01-02T00%3A00%3A00Z' +
        '&paginacao.paginaAtual=0&paginacao.itensPorPagina=100&devolucaoPresente=true',
      '',
    ],
    [`PUT /api/v2/webhook/${KEY}`, { webhookUrl: 'https://api.example.com/pix/callback' }],
    [`GET /api/v2/webhook/${KEY}`, ''],
  ]);
  for (const { headers } of psp.calls()) t.equal(headers.authorization, 'Bearer token-1');
});

t.test('keys that are e-mails or telephone numbers stay in one path segment', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(404, {}));
  const { client } = clientOf(t, psp.url, { key: '+5561999999999/x?' });
  t.equal(await client.getCallback(), null);
  t.equal(psp.calls()[0]?.url, '/webhook/%2B5561999999999%2Fx%3F');
});

t.test('a long message to the payer is cut, never in the middle of a character', async (t) => {
  const psp = await startPsp(t, ({ body }, reply) => reply.json(201, registered(body)));
  const { client } = clientOf(t, psp.url);
  await client.putCharge(TXID, { amount: 1, expiresInSeconds: 1, payerMessage: `${'x'.repeat(139)}😀😀` });
  t.equal(JSON.parse(psp.calls()[0]?.body ?? '').solicitacaoPagador, 'x'.repeat(139));
});

t.test('a message to the payer is one line', async (t) => {
  const psp = await startPsp(t, ({ body }, reply) => reply.json(201, registered(body)));
  const { client } = clientOf(t, psp.url);
  await client.putCharge(TXID, { amount: 1, expiresInSeconds: 1, payerMessage: '\tLoja\n da\u0007 Ana ' });
  t.equal(JSON.parse(psp.calls()[0]?.body ?? '').solicitacaoPagador, 'Loja da Ana');
});

t.test('the payer reads the store’s name before anything that only we read', async (t) => {
  const psp = await startPsp(t, ({ body }, reply) => reply.json(201, registered(body)));
  const { client } = clientOf(t, psp.url);
  const terms = { amount: 1050, expiresInSeconds: 3600, storeId: 'store-1' };
  await client.putCharge(TXID, { ...terms, storeName: 'Padaria “Pão & Cia” – Centro 🥖' });
  await client.putCharge(TXID, { ...terms, storeName: '東京' });
  await client.putCharge(TXID, { ...terms, storeName: 'Ana', reference: '“42”' });
  const [named, nameless, ordered] = psp.calls().map(({ body }) => JSON.parse(body));
  const mark = { nome: 'ID da loja', valor: 'store-1' };
  t.same(named.infoAdicionais, [{ nome: 'Loja', valor: 'Padaria "Pão & Cia" - Centro' }, mark]);
  t.notOk('solicitacaoPagador' in named, 'a message that nobody gave is absent');
  t.same(nameless.infoAdicionais, [mark]);
  t.same(ordered.infoAdicionais, [{ nome: 'Loja', valor: 'Ana' }, { nome: 'Pedido', valor: '"42"' }, mark]);
});

t.test('a charge says whose it is, and is known by that again', async (t) => {
  const psp = await startPsp(t, ({ body }, reply) => reply.json(201, registered(body)));
  const { client } = clientOf(t, psp.url);
  const terms = { amount: 1050, expiresInSeconds: 3600 };
  t.equal((await client.putCharge(TXID, { ...terms, storeId: 'store-1' })).storeId, 'store-1');
  t.equal((await client.putCharge(TXID, terms)).storeId, null);
});

t.test('what the API Pix does not allow is refused before anything is sent', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(200, cob));
  const { client } = clientOf(t, psp.url);
  const fine = { amount: 100, expiresInSeconds: 60 };
  const page = { from: new Date(0), to: new Date(1), page: 0 };
  const refused: [string, () => Promise<unknown>][] = [
    ['a txid that is too short', () => client.putCharge('a'.repeat(25), fine)],
    ['a txid with a dash', () => client.getCharge('7978c0c9-7ea8-47e7-8e88-49634473c1f1')],
    ['a txid that walks up the path', () => client.cancelCharge('../../oauth/token?aaaaaaaaaaaa')],
    ['no amount', () => client.putCharge(TXID, { ...fine, amount: 0 })],
    ['half a centavo', () => client.putCharge(TXID, { ...fine, amount: 100.5 })],
    ['no time to pay', () => client.putCharge(TXID, { ...fine, expiresInSeconds: 0 })],
    ['more time than int32', () => client.putCharge(TXID, { ...fine, expiresInSeconds: 2 ** 31 })],
    ['a refund of nothing', () => client.requestRefund(END_TO_END_ID, 'r1', 0)],
    ['a refund id that is too long', () => client.requestRefund(END_TO_END_ID, 'r'.repeat(36), 1)],
    ['an endToEndId that is none', () => client.getRefund('E123', 'r1')],
    ['a page before the first', () => client.listPix({ ...page, page: -1 })],
    ['a range that ends before it begins', () => client.listPix({ ...page, from: new Date(2) })],
    ['a range without an end', () => client.listPix({ ...page, to: new Date(Number.NaN) })],
  ];
  for (const [name, run] of refused) await t.rejects(run(), RangeError, name);
  t.same(psp.received, []);
});

t.test('a page of received Pix: what can be read is kept, the rest is named', async (t) => {
  const pix = { endToEndId: END_TO_END_ID, valor: '10.00', horario: '2026-01-01T00:00:00Z' };
  const psp = await startPsp(t, (_request, reply) =>
    reply.json(200, {
      parametros: { paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: 3 } },
      pix: [pix, { ...pix, valor: null }],
    }),
  );
  const { client } = clientOf(t, psp.url);
  const page = await client.listPix({ from: new Date(0), to: new Date(1), page: 0 });
  t.match(page, { pages: 3, unreadable: [{ endToEndId: END_TO_END_ID, txid: null }] });
  t.strictSame(
    page.pix.map((one) => one.endToEndId),
    [END_TO_END_ID],
  );
});

function answerTo({ method, url, body }: Received) {
  if (url.includes('/devolucao/')) return { id: 'r1', valor: '7.89', status: 'DEVOLVIDO' };
  if (url.includes('/pix?')) return { pix: [] };
  if (url.includes('/webhook/'))
    return method === 'GET' ? { webhookUrl: 'https://api.example.com/pix/callback' } : {};
  return method === 'PUT' ? registered(body) : cob;
}
