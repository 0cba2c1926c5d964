import { request } from 'node:http';
import type { CreatedPayment } from '@payments/testing/answers';
import { call } from '@payments/testing/http';
import { patienceMs } from '@payments/testing/patience';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openShop, openSystem, story, withFaults } from './shop.ts';

// Fifty callbacks come at once in a test, and each waits for a connection.
const system = await openSystem(t, {
  databasePatienceMs: patienceMs,
  env: { DATABASE_POOL_SIZE: '50' },
});
const shop = await openShop(t, system);

/** @returns the bank's callback address, known from its first callback */
async function callbackUrl(): Promise<string> {
  await shop.pay(await shop.charge(10));
  return eventually('a callback', async () => {
    const { attempts } = (await system.bank('/bank/callbacks')).body;
    return attempts[0]?.url as string | undefined;
  });
}
const url = await callbackUrl();
const post = (body: unknown, to = url) => call(to, { method: 'POST', body });
const txidOf = (payment: { id: string }) => payment.id.replaceAll('-', '');

/** A callback's entry in a bank's form. */
const entry = (payment: Pick<CreatedPayment, 'id' | 'amount'>, fields: Record<string, unknown> = {}) => ({
  endToEndId: 'E99999004202611210000abcdefghijk',
  txid: txidOf(payment),
  chave: 'pix@example.com',
  valor: payment.amount.toFixed(2),
  horario: '2026-11-21T00:00:00.000Z',
  ...fields,
});

/** @returns the status that a body of this length gets before it is sent */
function statusOfLength(length: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': length };
    const upload = request(url, { method: 'POST', headers }, ({ statusCode }) => {
      resolve(statusCode);
      upload.destroy();
    });
    upload.on('error', () => resolve(undefined));
    upload.write('{');
  });
}

// The bank's list hides these Pix, because its clock is slow: only a callback can report them.
const unseenByScans = async (t: { teardown(end: () => Promise<unknown>): void }) => {
  await system.bank('/bank/clock', { advanceSeconds: -7_200 });
  t.teardown(() => system.bank('/bank/clock', {}));
};

// First: charges that later tests leave set aside are read again, and would take these two failures.
t.test('a charge that can’t be read does not delay the others of its batch', async (t) => {
  await unseenByScans(t);
  const payments = await Promise.all([5, 6].map((amount) => shop.charge(amount)));
  await withFaults(system, { dropCallbacks: true }, async () => {
    for (const payment of payments) await shop.pay(payment);
  });
  const pix = payments.map((payment) => entry(payment));
  await withFaults(system, { status: 500, only: ['getCob'], times: 2 }, async () => {
    t.equal((await post({ pix })).status, 503, 'so that the bank repeats it');
    t.equal((await shop.read(payments[0]!)).status, 'pending');
    t.equal((await shop.read(payments[1]!)).status, 'approved');
  });
  t.equal((await post({ pix })).status, 200);
  t.equal((await shop.read(payments[0]!)).status, 'approved');
});

t.test('the callback’s path is secret: any other is a 404 without a call to the bank', async (t) => {
  await unseenByScans(t);
  const payment = await shop.charge(10);
  await withFaults(system, { dropCallbacks: true }, () => shop.pay(payment));
  const last = url.split('/').at(-2)!;
  const guesses = ['x', last.slice(1), `${last}x`, last.toUpperCase(), `${last}%00`, '%20', 'constructor'];
  for (const guess of guesses) {
    const { status, body } = await post({ pix: [entry(payment)] }, url.replace(last, guess));
    t.same(
      { status, body },
      { status: 404, body: { statusCode: 404, message: 'Rota não encontrada.' } },
      guess,
    );
  }
  const withoutSecret = url.replace(`/${last}`, '');
  t.equal((await post({ pix: [entry(payment)] }, withoutSecret)).status, 404, withoutSecret);
  t.equal((await shop.read(payment)).status, 'pending');
});

t.test('a bank that does not append /pix is heard at the registered address', async (t) => {
  await unseenByScans(t);
  const payment = await shop.charge(10);
  await withFaults(system, { dropCallbacks: true }, () => shop.pay(payment));
  t.equal((await post({ pix: [entry(payment)] }, url.replace(/\/pix$/, ''))).status, 200);
  t.equal((await shop.read(payment)).status, 'approved');
});

t.test('a forged Pix for a charge that nobody paid changes nothing', async (t) => {
  const payment = await shop.charge(10);
  for (const forged of [
    entry(payment),
    entry(payment, { valor: '1.00' }),
    entry(payment, { devolucoes: [{}] }),
  ]) {
    t.equal((await post({ pix: [forged] })).status, 200);
  }
  const detail = await shop.detail(payment);
  t.match(detail, { status: 'pending', pix: [], refunds: [] });
  t.equal(detail.events.length, 1);
});

t.test('a forged amount, endToEndId or refund: the bank’s data counts', async (t) => {
  const payment = await shop.charge(10);
  await withFaults(system, { dropCallbacks: true }, async () => {
    const paid = await shop.pay(payment, { valor: 5 });
    const devolucoes = [{ id: 'x', rtrId: 'D1', valor: '5.00', status: 'DEVOLVIDO' }];
    await post({ pix: [entry(payment, { valor: '10.00', devolucoes })] });
    await shop.untilStatus(payment, 'review');
    const { pix, refunds } = await shop.detail(payment);
    t.match(pix, [{ endToEndId: paid.endToEndId, amount: 5 }]);
    t.same(refunds, []);
  });
});

t.test('a Pix for another key is ignored', async (t) => {
  await unseenByScans(t);
  const payment = await shop.charge(10);
  await withFaults(system, { dropCallbacks: true }, () => shop.pay(payment));
  t.equal((await post({ pix: [entry(payment, { chave: 'other@example.com' })] })).status, 200);
  t.equal((await shop.read(payment)).status, 'pending');
  t.equal((await post({ pix: [entry(payment, { chave: undefined })] })).status, 200);
  t.equal((await shop.read(payment)).status, 'approved', 'a bank may omit the key');
});

t.test('fifty callbacks at once for one Pix: one change, one event, one webhook', async (t) => {
  const payment = await shop.charge(10);
  await withFaults(system, { dropCallbacks: true }, () => shop.pay(payment));
  const answers = await Promise.all(Array.from({ length: 50 }, () => post({ pix: [entry(payment)] })));
  t.ok(answers.every(({ status }) => status === 200));
  const detail = await shop.detail(payment);
  t.match(detail, { status: 'approved', refunds: [] });
  t.equal(detail.events.length, 2);
  t.equal(detail.pix.length, 1);
  t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
});

t.test('a batch settles its valid entries, among invalid ones', async (t) => {
  const payments = await Promise.all([5, 6, 7, 8, 9].map((amount) => shop.charge(amount)));
  await withFaults(system, { dropCallbacks: true }, async () => {
    for (const payment of payments) await shop.pay(payment);
  });
  const pix = [null, 1, ...payments.map((payment) => entry(payment)), {}, [], entry(payments[0]!)];
  t.equal((await post({ pix })).status, 200);
  for (const payment of payments) t.equal((await shop.read(payment)).status, 'approved');
});

t.test('an invalid callback is not a 5xx', async (t) => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const bodies = [
    '',
    ' ',
    'null',
    'true',
    '7',
    '"pix"',
    '[]',
    '{}',
    '{"pix":null}',
    '{"pix":{}}',
    '{"pix":"x"}',
    '{"pix":[[],{},"",0,null,[[]]]}',
    '{"__proto__":{"pix":[]},"constructor":1}',
    '{"pix":[{"txid":"\\u0000","endToEndId":"\\ud800","valor":"1.00","chave":"pix@example.com"}]}',
    '{"pix":[{"txid":{"toString":1},"endToEndId":[],"valor":1e400,"horario":-1,"devolucoes":7}]}',
    `{"pix":[{"endToEndId":"${'E'.repeat(100_000)}","valor":"-1.00"}]}`,
    `{"pix":${deep}}`,
    '{"pix":[',
    '\u0000',
    '<xml/>',
  ];
  for (const body of bodies) {
    const { status, body: answer } = await post(body);
    t.ok(status < 500, `${status} to ${JSON.stringify(body.slice(0, 60))}`);
    if (status !== 200) t.same(Object.keys(answer), ['statusCode', 'message']);
  }
  t.equal(await statusOfLength(1_100_000), 413);
  const form = await call(url, { method: 'POST', body: 'a=b', headers: { 'content-type': 'text/plain' } });
  t.equal(form.status, 200, 'what is no JSON names no Pix');
  t.equal((await fetch(url, { method: 'POST' })).status, 200, 'a bank that tests the address sends no body');
});

t.test('a Pix whose callback was dropped is found in the bank’s list', async (t) => {
  const payments = await Promise.all([5, 6, 7].map((amount) => shop.charge(amount)));
  await withFaults(system, { dropCallbacks: true }, async () => {
    await Promise.all(payments.map((payment, index) => shop.pay(payment, index === 2 ? { valor: 1 } : {})));
    await shop.untilStatus(payments[0]!, 'approved');
    await shop.untilStatus(payments[1]!, 'approved');
    await shop.untilStatus(payments[2]!, 'review');
  });
  t.same(story(await shop.untilWebhooks(payments[0]!, 2)), ['created pending', 'pending approved']);
});

t.test('while the bank is down a callback is refused; the bank repeats it, and it is accepted', async (t) => {
  const payment = await shop.charge(10);
  await withFaults(system, { status: 503, only: ['getCob', 'listPix'] }, async () => {
    await shop.pay(payment);
    const { status, body } = await post({ pix: [entry(payment)] });
    t.same(
      { status, body },
      { status: 503, body: { statusCode: 503, message: 'Serviço temporariamente indisponível.' } },
    );
    t.equal((await shop.read(payment)).status, 'pending');
  });
  await shop.untilStatus(payment, 'approved');
});
