import t from 'tap';
import { startBank, TXID } from './bank-under-test.ts';
import { failuresOf } from './conform.ts';

/** A bank with one Pix of R$ 10.00. */
async function withPix(t: Parameters<typeof startBank>[0]) {
  const bank = await startBank(t);
  const { body } = await bank.pay(await bank.charge());
  const path = `/pix/${body.endToEndId}/devolucao`;
  return { bank, path, endToEndId: body.endToEndId as string };
}

t.test('a refund is made and shown, also with its Pix and charge', async (t) => {
  const { bank, path, endToEndId } = await withPix(t);
  const made = await bank.asReceiver('PUT', `${path}/r1`, { valor: '4.00', descricao: 'Troca' });
  t.equal(made.status, 201);
  t.same(failuresOf('Devolucao', made.body), []);
  t.match(made.body, {
    id: 'r1',
    valor: '4.00',
    status: 'DEVOLVIDO',
    natureza: 'ORIGINAL',
    descricao: 'Troca',
  });
  t.match(made.body.rtrId, /^D\d{8}\d{12}[a-zA-Z0-9]{11}$/);
  t.same((await bank.asReceiver('GET', `${path}/r1`)).body, made.body);
  t.same((await bank.asReceiver('GET', `/pix/${endToEndId}`)).body.devolucoes, [made.body]);
  t.same((await bank.asReceiver('GET', `/cob/${TXID}`)).body.pix[0].devolucoes, [made.body]);
});

t.test('what a bank refuses', async (t) => {
  const { bank, path } = await withPix(t);
  await bank.asReceiver('PUT', `${path}/r1`, { valor: '4.00' });
  const invalid = 'PixDevolucaoInvalida';
  const nowhere = `/pix/E${'0'.repeat(31)}/devolucao/r2`;
  const refusals: [string, 'PUT' | 'GET', string, unknown, number, string][] = [
    ['an id used before, with the same amount too', 'PUT', `${path}/r1`, { valor: '4.00' }, 400, invalid],
    ['more than is left', 'PUT', `${path}/r2`, { valor: '6.01' }, 400, invalid],
    ['nothing', 'PUT', `${path}/r2`, { valor: '0.00' }, 400, invalid],
    ['an amount as a number', 'PUT', `${path}/r2`, { valor: 1 }, 400, invalid],
    ['an id with a dash', 'PUT', `${path}/r-2`, { valor: '1.00' }, 400, invalid],
    ['a Pix that never came', 'PUT', nowhere, { valor: '1.00' }, 404, 'PixNaoEncontrado'],
    ['an unknown refund', 'GET', `${path}/r9`, undefined, 404, 'PixDevolucaoNaoEncontrada'],
  ];
  for (const [name, method, url, body, status, type] of refusals) {
    const answer = await bank.asReceiver(method, url, body);
    t.equal(answer.status, status, name);
    t.equal(answer.body.type, `https://pix.bcb.gov.br/api/v2/error/${type}`, name);
  }
  t.equal((await bank.asReceiver('PUT', `${path}/r2`, { valor: '6.00' })).status, 201, 'all that is left');
});

t.test('after 90 days nothing goes back', async (t) => {
  const { bank, path } = await withPix(t);
  await bank.advance(90 * 86_400 - 60);
  t.equal((await bank.asReceiver('PUT', `${path}/r1`, { valor: '1.00' })).status, 201);
  await bank.advance(120);
  t.equal((await bank.asReceiver('PUT', `${path}/r2`, { valor: '1.00' })).status, 400);
});

t.test('slow refunds settle when their time comes, refused ones free their amount', async (t) => {
  const { bank, path } = await withPix(t);
  await bank.faults({ slowRefundsMs: 60_000, refuseRefunds: true });
  const slow = await bank.asReceiver('PUT', `${path}/r1`, { valor: '10.00' });
  t.match(slow, { status: 201, body: { status: 'EM_PROCESSAMENTO', motivo: undefined } });
  await bank.advance(60);
  const settled = await bank.asReceiver('GET', `${path}/r1`);
  t.match(settled.body, { status: 'NAO_REALIZADO', motivo: 'Recusada pelo PSP do pagador' });
  t.same(failuresOf('Devolucao', settled.body), []);
  await bank.faults({});
  t.match((await bank.asReceiver('PUT', `${path}/r2`, { valor: '10.00' })).body, { status: 'DEVOLVIDO' });
});

t.test('a slow refund that will succeed holds its amount', async (t) => {
  const { bank, path } = await withPix(t);
  await bank.faults({ slowRefundsMs: 60_000 });
  await bank.asReceiver('PUT', `${path}/r1`, { valor: '10.00' });
  t.equal((await bank.asReceiver('PUT', `${path}/r2`, { valor: '0.01' })).status, 400);
});

t.test('a refund whose answer is lost was made all the same', async (t) => {
  const { bank, path } = await withPix(t);
  await bank.faults({ loseRefundAnswers: true });
  t.equal((await bank.asReceiver('PUT', `${path}/r1`, { valor: '10.00' })).status, 500);
  t.match((await bank.asReceiver('GET', `${path}/r1`)).body, { status: 'DEVOLVIDO', valor: '10.00' });
});

t.test('the bank takes money back by itself', async (t) => {
  const { bank, path, endToEndId } = await withPix(t);
  await bank.asReceiver('PUT', `${path}/r1`, { valor: '4.00' });
  const some = await bank.asAnyone('POST', '/bank/refunds', {
    endToEndId,
    valor: '1.00',
    natureza: 'MED_OPERACIONAL',
  });
  t.match(some, { status: 201, body: { valor: '1.00', natureza: 'MED_OPERACIONAL', status: 'DEVOLVIDO' } });
  const rest = await bank.asAnyone('POST', '/bank/refunds', { endToEndId });
  t.match(rest, { status: 201, body: { valor: '5.00', natureza: 'MED_FRAUDE' } });
  t.same(failuresOf('Devolucao', rest.body), []);
  t.equal((await bank.asAnyone('POST', '/bank/refunds', { endToEndId })).status, 400, 'nothing is left');
  t.equal((await bank.asAnyone('POST', '/bank/refunds', { endToEndId: 'E0' })).status, 404);
});

t.test('the receiver gives money back in the bank’s app', async (t) => {
  const { bank, endToEndId } = await withPix(t);
  const given = await bank.asAnyone('POST', '/bank/refunds', { endToEndId, natureza: 'ORIGINAL' });
  t.match(given, { status: 201, body: { id: /^APP/, natureza: 'ORIGINAL', status: 'DEVOLVIDO' } });
  t.same(failuresOf('Devolucao', given.body), []);
});

t.test('an account that takes nothing back', async (t) => {
  const { bank } = await withPix(t);
  const code = await bank.charge('d'.repeat(32));
  const { endToEndId } = (await bank.pay(code, { refusesRefunds: true })).body;
  const refund = await bank.asReceiver('PUT', `/pix/${endToEndId}/devolucao/r1`, { valor: '1.00' });
  t.match(refund.body, { status: 'NAO_REALIZADO' });
});

t.test('what the bank takes back may take its time, and come to nothing', async (t) => {
  const { bank, path, endToEndId } = await withPix(t);
  const slow = await bank.asAnyone('POST', '/bank/refunds', {
    endToEndId,
    valor: '4.00',
    slowMs: 5_000,
    refused: true,
  });
  t.match(slow, { status: 201, body: { status: 'EM_PROCESSAMENTO' } });
  await bank.advance(6);
  const { devolucoes } = (await bank.asReceiver('GET', path.replace('/devolucao', ''))).body;
  t.match(devolucoes, [{ status: 'NAO_REALIZADO', valor: '4.00' }]);
  const rest = await bank.asAnyone('POST', '/bank/refunds', { endToEndId });
  t.match(rest.body, { valor: '10.00', status: 'DEVOLVIDO' });
});

t.test('Pix are listed by arrival, by refund and by txid, in pages', async (t) => {
  const { bank, path } = await withPix(t);
  await bank.asReceiver('PUT', `${path}/r1`, { valor: '1.00' });
  await bank.pay(await bank.charge('c'.repeat(32)));
  const range = 'inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z';
  const list = async (query: string) => (await bank.asReceiver('GET', `/pix?${range}&${query}`)).body;
  const all = await list('');
  t.same(failuresOf('PixConsultados', all), []);
  t.match(all, { pix: { length: 2 }, parametros: { paginacao: { quantidadeTotalDeItens: 2 } } });
  t.match(await list('devolucaoPresente=true'), { pix: [{ txid: TXID }] });
  t.match(await list('devolucaoPresente=false'), { pix: [{ txid: 'c'.repeat(32) }] });
  t.match(await list(`txid=${TXID}`), { pix: { length: 1 } });
  t.match(await list('txIdPresente=false'), { pix: { length: 0 } });
  t.match(await list('paginacao.itensPorPagina=1&paginacao.paginaAtual=1'), {
    pix: [{ txid: 'c'.repeat(32) }],
  });
  t.match(await list('paginacao.itensPorPagina=1001'), { status: 400 });
});
