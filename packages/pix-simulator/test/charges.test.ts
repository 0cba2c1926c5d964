import { parseBrCode } from '@payments/pix/brcode';
import t from 'tap';
import { KEY, startBank, TXID, terms, txidOf } from './bank-under-test.ts';
import { failuresOf } from './conform.ts';

t.test('a charge is created, shown, changed and removed', async (t) => {
  const bank = await startBank(t, { merchantName: 'Padaria São João' });
  const created = await bank.asReceiver('PUT', `/cob/${TXID}`, { ...terms, solicitacaoPagador: 'Pedido 1' });
  t.equal(created.status, 201);
  t.same(failuresOf('CobGerada', created.body), []);
  t.match(created.body, {
    txid: TXID,
    status: 'ATIVA',
    revisao: 0,
    chave: KEY,
    solicitacaoPagador: 'Pedido 1',
  });
  const code = parseBrCode(created.body.pixCopiaECola);
  t.match(code, { location: created.body.location, merchantName: 'Padaria Sao Joao', singleUse: true });
  t.ok(created.body.location.startsWith('localhost:80/qr/'));

  const changed = await bank.asReceiver('PATCH', `/cob/${TXID}`, { valor: { original: '12.00' } });
  t.match(changed, { status: 200, body: { revisao: 1, valor: { original: '12.00' }, chave: KEY } });
  const removed = await bank.asReceiver('PATCH', `/cob/${TXID}`, {
    status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  });
  t.match(removed.body, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', revisao: 2 });
  const shown = await bank.asReceiver('GET', `/cob/${TXID}`);
  t.same(shown.body, removed.body);
  t.same(failuresOf('CobCompleta', shown.body), []);
});

t.test('the same PUT again changes nothing; another one is a revision at the same location', async (t) => {
  const bank = await startBank(t);
  const first = await bank.asReceiver('PUT', `/cob/${TXID}`, terms);
  const again = await bank.asReceiver('PUT', `/cob/${TXID}`, { ...terms, unknown: 1 });
  t.same(again, first);
  const revised = await bank.asReceiver('PUT', `/cob/${TXID}`, { ...terms, valor: { original: '11.00' } });
  t.match(revised.body, { revisao: 1, location: first.body.location, valor: { original: '11.00' } });
});

t.test('what a bank refuses', async (t) => {
  const bank = await startBank(t, { key: KEY });
  await bank.charge(txidOf(1));
  await bank.asReceiver('PATCH', `/cob/${txidOf(1)}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  await bank.charge(txidOf(2));
  const invalid = 'CobOperacaoInvalida';
  const removal = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
  const refusals: [string, 'PUT' | 'PATCH' | 'GET', string, unknown, number, string][] = [
    ['a short txid', 'PUT', '/cob/abc', terms, 400, invalid],
    ['no key', 'PUT', `/cob/${TXID}`, { ...terms, chave: undefined }, 400, invalid],
    ["another's key", 'PUT', `/cob/${TXID}`, { ...terms, chave: 'other' }, 400, invalid],
    ['an amount as a number', 'PUT', `/cob/${TXID}`, { ...terms, valor: { original: 10 } }, 400, invalid],
    ['an amount of zero', 'PUT', `/cob/${TXID}`, { ...terms, valor: { original: '0.00' } }, 400, invalid],
    ['no time to pay', 'PUT', `/cob/${TXID}`, { ...terms, calendario: { expiracao: 0 } }, 400, invalid],
    ['time as text', 'PUT', `/cob/${TXID}`, { ...terms, calendario: { expiracao: '60' } }, 400, invalid],
    [
      'a long message',
      'PUT',
      `/cob/${TXID}`,
      { ...terms, solicitacaoPagador: 'x'.repeat(141) },
      400,
      invalid,
    ],
    ['a removed charge set anew', 'PUT', `/cob/${txidOf(1)}`, terms, 400, invalid],
    ['a removed charge removed', 'PATCH', `/cob/${txidOf(1)}`, removal, 400, invalid],
    ['removal and change in one', 'PATCH', `/cob/${txidOf(2)}`, { ...removal, chave: KEY }, 400, invalid],
    ['another status', 'PATCH', `/cob/${txidOf(2)}`, { status: 'CONCLUIDA' }, 400, invalid],
    ['an unknown charge changed', 'PATCH', `/cob/${TXID}`, removal, 404, 'CobNaoEncontrado'],
    ['an unknown charge', 'GET', `/cob/${TXID}`, undefined, 404, 'CobNaoEncontrado'],
    ['an unknown revision', 'GET', `/cob/${txidOf(2)}?revisao=9`, undefined, 400, 'CobConsultaInvalida'],
    ['a list without a range', 'GET', '/cob', undefined, 400, 'CobConsultaInvalida'],
    ['an unknown address', 'GET', '/cobrancas', undefined, 404, 'NaoEncontrado'],
  ];
  for (const [name, method, url, body, status, type] of refusals) {
    const answer = await bank.asReceiver(method, url, body);
    t.equal(answer.status, status, name);
    t.equal(answer.type, 'application/problem+json; charset=utf-8', name);
    t.same(failuresOf('Problema', answer.body), [], name);
    t.equal(answer.body.type, `https://pix.bcb.gov.br/api/v2/error/${type}`, name);
  }
  const refused = await bank.asReceiver('PUT', `/cob/${TXID}`, { ...terms, chave: 7 });
  t.match(refused.body.violacoes, [{ propriedade: 'body.chave', razao: 'must be string' }]);
});

t.test('a body that is no JSON is a refused request', async (t) => {
  const bank = await startBank(t);
  const { access_token } = bank.app.bank.access.issue({ id: '', secret: '', scopes: [] }, null) ?? {};
  const answer = await bank.app.inject({
    method: 'PUT',
    url: `/cob/${TXID}`,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    payload: '{"valor":',
  });
  t.match([answer.statusCode, answer.json().status], [400, 400]);
});

t.test('charges are listed by creation, in pages', async (t) => {
  const clock = { now: Date.parse('2026-01-01T12:00:00Z') };
  const bank = await startBank(t, { now: () => clock.now });
  for (let number = 0; number < 5; number += 1) {
    await bank.charge(txidOf(number));
    clock.now += 60_000;
  }
  const list = async (query: string) => (await bank.asReceiver('GET', `/cob?${query}`)).body;
  const all = await list('inicio=2026-01-01T12:00:00Z&fim=2026-01-01T13:00:00Z');
  t.same(failuresOf('CobsConsultadas', all), []);
  t.equal(all.cobs.length, 5);
  t.match(await list('inicio=2026-01-01T12:01:00Z&fim=2026-01-01T12:03:00Z'), { cobs: { length: 3 } });
  const page = await list(
    'inicio=2026-01-01T12:00:00Z&fim=2026-01-01T13:00:00Z&paginacao.paginaAtual=1&paginacao.itensPorPagina=2',
  );
  t.strictSame(
    page.cobs.map((cob: { txid: string }) => cob.txid),
    [txidOf(2), txidOf(3)],
  );
  t.match(page.parametros.paginacao, { paginaAtual: 1, quantidadeDePaginas: 3, quantidadeTotalDeItens: 5 });
  t.match(await list('inicio=2026-01-01T12:00:00Z&fim=2026-01-01T13:00:00Z&status=CONCLUIDA'), { cobs: [] });
  t.match(await list('inicio=2026-01-02T12:00:00Z&fim=2026-01-01T13:00:00Z'), { status: 400 });
  const day = 'inicio=2026-01-01T12:00:00Z&fim=2026-01-01T13:00:00Z';
  const debtor = { cpf: '12345678909', nome: 'João' };
  await bank.asReceiver('PUT', `/cob/${txidOf(5)}`, { ...terms, devedor: debtor });
  t.match(await list(`${day}&cpf=12345678909`), { cobs: [{ txid: txidOf(5) }] });
  for (const query of ['cpf=00000000000', 'cnpj=12345678000195', 'locationPresente=false'])
    t.match(await list(`${day}&${query}`), { cobs: { length: 0 } }, query);
  t.match(await list(`${day}&locationPresente=true`), { cobs: { length: 6 } });
  t.match(await list(`${day}&cpf=12345678909&cnpj=12345678000195`), { status: 400 });
  t.match((await bank.asReceiver('GET', `/pix?${day}&cpf=12345678909`)).body, { pix: { length: 0 } });
});

t.test('the webhook of a key is set, shown and removed', async (t) => {
  const bank = await startBank(t, { key: KEY });
  const url = { webhookUrl: 'https://api.example.com/pix' };
  t.equal((await bank.asReceiver('GET', `/webhook/${KEY}`)).status, 404);
  t.equal((await bank.asReceiver('PUT', `/webhook/${KEY}`, url)).status, 200);
  const shown = await bank.asReceiver('GET', `/webhook/${KEY}`);
  t.match(shown.body, { ...url, chave: KEY });
  t.same(failuresOf('WebhookCompleto', shown.body), []);
  for (const [key, body] of [
    ['other', url],
    [KEY, { webhookUrl: 'ftp://example.com' }],
    [KEY, { webhookUrl: 'nowhere' }],
    [KEY, {}],
  ] as const) {
    const { status, body: problem } = await bank.asReceiver('PUT', `/webhook/${key}`, body);
    t.match({ status, type: problem.type }, { status: 400, type: /WebhookOperacaoInvalida$/ });
  }
  t.equal((await bank.asReceiver('DELETE', `/webhook/${KEY}`)).status, 204);
  t.equal((await bank.asReceiver('GET', `/webhook/${KEY}`)).status, 404);
});
