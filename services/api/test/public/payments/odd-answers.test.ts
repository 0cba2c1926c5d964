import { join } from 'node:path';
import { startBank } from '@payments/testing/bank';
import { startOddBank } from '@payments/testing/odd-bank';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { panelClient } from '../../administration/panel-client.ts';

/** A bank whose responses contradict what was asked, or refuse what a charge can do without (Contract: codes). */
const bank = await startOddBank();
const system = await startSystem({ env: { PIX_URL: bank.url, SCAN_INTERVAL_SECONDS: '1' } });
bank.standBefore(system.bankUrl);
t.teardown(async () => {
  await system.stop();
  await bank.close();
});
const store = await system.createStore({ name: 'Padaria “Pão & Cia” – Centro 🥖' });

const create = async () => {
  const { status, body } = await system.api('/api-public/payments', {
    token: store.token,
    body: { amount: 10 },
  });
  t.equal(status, 200);
  return body;
};
const read = async (id: string) =>
  (await system.api(`/api-public/payments/${id}`, { token: store.token })).body;
const withCode = (id: string) =>
  eventually('a code', async () => ((await read(id)).qrCopyPaste ? read(id) : undefined));
const problems = async () => (await system.admin('/admin/charge-problems')).body.items;
const isPut = ({ method, path }: { method: string; path: string }) =>
  method === 'PUT' && path.startsWith('/cob/');
const puts = () => bank.calls.filter(isPut);
const refusal = {
  status: 400,
  body: { type: 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida', detail: 'Texto não permitido.' },
};

t.test('only what every bank takes leaves for the payer, in one call', async (t) => {
  const before = puts().length;
  t.match(await create(), { qrCopyPaste: /^000201/ });
  const [put, ...more] = puts().slice(before);
  t.same(more, []);
  t.notOk('solicitacaoPagador' in put!.body);
  t.same(put!.body.infoAdicionais[0], { nome: 'Loja', valor: 'Padaria "Pão & Cia" - Centro' });
});

t.test('a bank that refuses every text costs no sale', async (t) => {
  bank.answerWith(async (call, ask) => (isPut(call) && call.body.infoAdicionais ? refusal : ask()));
  t.match(await create(), { qrCopyPaste: /^000201/ });
  t.same(await problems(), []);
});

t.test('a charge that the bank refuses for good is shown in its words, until it takes it', async (t) => {
  bank.answerWith(async (call, ask) => (isPut(call) ? refusal : ask()));
  const payment = await create();
  t.match(payment, { status: 'pending', qrCopyPaste: null, qrCodeUrl: null });
  const [shown] = await eventually('a problem', async () => {
    const items = await problems();
    return items.length > 0 ? items : undefined;
  });
  t.match(shown, { paymentId: payment.id, work: 'register', error: /400.*Texto não permitido\./ });
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const { text } = await person.get('/panel/charge-problems');
  t.match(text, 'Registrar a cobrança no banco');
  t.match(text, 'o banco recusou com 400 CobOperacaoInvalida: Texto não permitido.');
  const { text: metrics } = await system.admin('/metrics');
  t.match(metrics, /payments_charge_problems\{[^}]*work="register"[^}]*\} 1/);
  bank.answerRightly();
  await withCode(payment.id);
  await eventually('the problem to end', async () => ((await problems()).length === 0 ? true : undefined));
});

/** The bank takes charges, and answers with these fields. */
const registeredAs = (fields: object) =>
  bank.answerWith(async (call, ask) => {
    const { status, body } = await ask();
    return { status, body: isPut(call) ? { ...body, ...fields } : body };
  });

const odd: [string, object][] = [
  ['another receiver', { chave: 'someone@else.example' }],
  ['markup', { pixCopiaECola: '<img src=x onerror=alert(1)>' }],
];

for (const [name, fields] of odd)
  t.test(`an answer that is not of this charge reaches no store: ${name}`, async (t) => {
    registeredAs(fields);
    const payment = await create();
    t.match(payment, { status: 'pending', qrCopyPaste: null, qrCodeUrl: null });
    bank.answerRightly();
    const { qrCopyPaste } = await withCode(payment.id);
    const { status } = await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
    t.equal(status, 201, 'the code that the store gets can be paid');
    await system.waitForStatus(store, payment.id, 'approved');
  });

t.test('a bank whose answers can’t be used is shown as failing', async (t) => {
  registeredAs({ pixCopiaECola: 'not a code' });
  const payments = await Promise.all([1, 2, 3, 4].map(create));
  const shown = await eventually('the bank to be failing', async () => {
    const [item] = (await system.admin('/admin/banks')).body.items;
    return item.state === 'failing' && /pixCopiaECola/.test(item.lastError) ? item : undefined;
  });
  t.match(shown, { state: 'failing' });
  bank.answerRightly();
  for (const { id } of payments) await withCode(id);
});

t.test('a stored text that no image can hold is a code that is not there', async (t) => {
  const { id } = await create();
  const copyAndPaste = 'x'.repeat(5_000);
  await system.db.updateTable('payments').set({ copyAndPaste }).where('id', '=', id).execute();
  for (const format of ['png', 'svg']) t.equal((await fetch(`${system.url}/qr/${id}.${format}`)).status, 404);
});

t.test('a list ends, whatever its totals say', async (t) => {
  const isList = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && path.includes('paginacao.paginaAtual');
  bank.answerWith(async (call, ask) => {
    const { status, body } = await ask();
    if (!isList(call)) return { status, body };
    const paginacao = { ...body.parametros.paginacao, quantidadeDePaginas: 100_000_000 };
    return { status, body: { ...body, parametros: { ...body.parametros, paginacao } } };
  });
  const date = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
  const { status } = await system.admin(`/admin/reconciliation?date=${date}`);
  t.equal(status, 200);
  const pages = bank.calls.filter(isList).map(({ path }) => new URL(path, bank.url).searchParams);
  const last = Math.max(...pages.map((query) => Number(query.get('paginacao.paginaAtual'))));
  t.ok(last <= 1, `page ${last}`);
});

/** A system with the bank `next` after one that answers as a test says. */
async function startTwo(t: Test) {
  const [odd, next] = await Promise.all([startOddBank(), startBank()]);
  const own = { clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' };
  const banks = [
    { ...own, id: 'odd', url: odd.url },
    { ...own, id: 'next', url: next.url },
  ];
  const folder = t.testdir({ 'banks.json': JSON.stringify({ banks }) });
  const BANKS_FILE = join(folder, 'banks.json');
  const two = await startSystem({ dispatcher: false, env: { BANKS_FILE } });
  t.teardown(async () => {
    await two.stop();
    await Promise.all([odd.close(), next.close()]);
  });
  odd.standBefore(two.bankUrl);
  const { token } = await two.createStore();
  const sellAtNext = async () => {
    const { body } = await two.api('/api-public/payments', { token, body: { amount: 10 } });
    t.match(body, { qrCopyPaste: /^000201/ });
    t.equal((await two.admin(`/admin/payments/${body.id}`)).body.bank, 'next');
  };
  return { odd, sellAtNext };
}

t.test('the next bank gets the sale that a bank’s answer is not of, within the same creation', async (t) => {
  const { odd, sellAtNext } = await startTwo(t);
  odd.answerWith(async (call, ask) => {
    const { status, body } = await ask();
    return { status, body: isPut(call) ? { ...body, pixCopiaECola: 'not a code' } : body };
  });
  await sellAtNext();
  t.equal(odd.calls.filter(isPut).length, 1);
});

t.test(
  'the next bank gets the sale that probes a bank which was failing, before that one answers',
  async (t) => {
    const { odd, sellAtNext } = await startTwo(t);
    odd.answerWith(async () => ({ status: 503, body: {} }));
    for (let sale = 0; sale < 4; sale += 1) await sellAtNext();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let held = 0;
    odd.answerWith(async (call, ask) => {
      if (isPut(call)) {
        held += 1;
        await answered;
      }
      return ask();
    });
    await eventually('a probe', async () => {
      await sellAtNext();
      return held > 0 || undefined;
    });
    answer();
  },
);
