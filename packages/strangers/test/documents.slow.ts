import { dayOf } from '@payments/domain/days';
import { createPixClient } from '@payments/pix/client';
import type { Json } from '@payments/testing/http';
import { openApiDocument } from '@payments/testing/openapi/document';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { systemClient } from '@payments/testing/system-client';
import t from 'tap';
import { apiPix, callbacks, defects, type Excuse } from './central-bank.ts';
import { startValidatingProxy, type ValidatingProxy, type Violation } from './validating-proxy.ts';

/**
 * A stranger's validator between all parts: the Central Bank's document between service and bank and before the
 * callbacks, the service's own documents before its two ports. The flow has the happy and the unhappy ways of money.
 */
const atRoot = (listener: 'public' | 'admin') => ({
  ...openApiDocument(listener).raw,
  servers: [{ url: '/' }],
});
let offsetMs = 0;
let bankUrl = '';
let publicUrl = '';
let adminUrl = '';
const proxies = {
  bank: await startValidatingProxy(apiPix, () => bankUrl),
  callbacks: await startValidatingProxy(callbacks, () => publicUrl),
  public: await startValidatingProxy(atRoot('public'), () => publicUrl),
  admin: await startValidatingProxy(atRoot('admin'), () => adminUrl),
};
const system = await startSystem({
  now: () => new Date(Date.now() + offsetMs),
  env: {
    PIX_URL: proxies.bank.url,
    PIX_TOKEN_URL: '',
    PUBLIC_URL: proxies.callbacks.url,
    RATE_LIMIT_PER_MINUTE: '0',
  },
});
({ bankUrl, url: publicUrl, adminUrl } = system);
t.teardown(async () => {
  await system.stop();
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
});
const { api, admin, bank, createStore } = systemClient({
  url: proxies.public.url,
  adminUrl: proxies.admin.url,
  bankUrl,
});
const store = await createStore({ feePercent: 1 });
const { token } = store;
const payments = '/api-public/payments';
const faults = (named: object = {}) => bank('/bank/faults', named);
const advance = (advanceSeconds: number) => {
  offsetMs += advanceSeconds * 1_000;
  return bank('/bank/clock', { advanceSeconds });
};
const create = async (fields: object = {}) => {
  const answer = await api(payments, { token, body: { amount: 10, ...fields } });
  return answer.body;
};
const pay = async ({ qrCopyPaste: pixCopiaECola }: Json, more: object = {}) =>
  (await bank('/bank/pay', { pixCopiaECola, ...more })).body;
const reaches = ({ id }: Json, status: string) =>
  eventually(`payment to be ${status}`, async () => {
    const { body } = await api(`${payments}/${id}`, { token });
    return body.status === status ? body : undefined;
  });
const paid = async (fields: object = {}) => {
  const payment = await create(fields);
  const pix = await pay(payment);
  await reaches(payment, 'approved');
  return { id: payment.id as string, endToEndId: pix.endToEndId as string };
};
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
/** Waits until a payment's refunds are as they should be. */
const refunded = (id: string, states: string[]) =>
  eventually(`refunds ${states}`, async () => {
    const { refunds } = await detail(id);
    const now = refunds.map(({ state }: Json) => state).sort();
    return JSON.stringify(now) === JSON.stringify(states) ? refunds : undefined;
  });
const move = (id: string, status: string) => admin(`/admin/payments/${id}/status`, { body: { status } });
const refund = (id: string, body?: object) => admin(`/admin/payments/${id}/refunds`, { body: body ?? {} });

/** A person decides that what came too late goes back. */
const givenBack = async (payment: Json) => {
  await reaches(payment, 'review');
  await move(payment.id, 'not_approved');
  await refunded(payment.id, ['refunded']);
};

t.test('created, paid, told and read', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const fields = {
    email: 'ana@loja.example',
    observation: 'Açaí',
    webhookUrl: receiver.url,
    reference: 'p-1',
  };
  const payment = await create(fields);
  await pay(payment);
  await reaches(payment, 'approved');
  await receiver.waitForCount(2);
  for (const path of ['', '?status=approved&limit=1', '?from=2026-01-01&to=9998-01-01', '?reference=p-1'])
    t.equal((await api(payments + path, { token })).status, 200, path);
  for (const image of ['png', 'svg']) t.equal((await api(`/qr/${payment.id}.${image}`)).status, 200);
});

t.test('given back: whole, in parts, more than is left', async (t) => {
  const whole = await paid();
  t.equal((await refund(whole.id)).status, 202);
  await refunded(whole.id, ['refunded']);
  const parts = await paid();
  for (const amount of [2, 3]) t.equal((await refund(parts.id, { amount })).status, 202);
  await refunded(parts.id, ['refunded', 'refunded']);
  t.equal((await refund(parts.id, { amount: 6 })).status, 409);
});

t.test('a second Pix goes back, another amount is decided by a person', async () => {
  const twice = await create();
  await pay(twice);
  await reaches(twice, 'approved');
  await pay(twice);
  await refunded(twice.id, ['refunded']);
  for (const [valor, status] of [
    ['7.50', 'approved'],
    ['12.00', 'not_approved'],
  ] as const) {
    const payment = await create();
    await pay(payment, { valor });
    await reaches(payment, 'review');
    await move(payment.id, status);
    await reaches(payment, status);
  }
});

t.test('taken back by the bank: whole as fraud, in part as an error', async () => {
  const fraud = await paid();
  await bank('/bank/refunds', { endToEndId: fraud.endToEndId, natureza: 'MED_FRAUDE' });
  await reaches(fraud, 'not_approved');
  const error = await paid();
  await bank('/bank/refunds', { endToEndId: error.endToEndId, natureza: 'MED_OPERACIONAL', valor: '4.00' });
  await refunded(error.id, ['refunded']);
});

t.test('cancelled, and paid all the same; expired, and paid late or in time', async (t) => {
  const cancelled = await create();
  t.equal((await move(cancelled.id, 'not_approved')).status, 200);
  await eventually('the charge to be removed', async () => {
    const { body } = await bank(`/bank/charges/${cancelled.id.replaceAll('-', '')}`);
    return body.status.startsWith('REMOVIDA') || undefined;
  });
  await pay(cancelled);
  await givenBack(cancelled);
  const [late, inTime] = [await create({ expiresIn: 60 }), await create({ expiresIn: 60 })];
  await faults({ dropCallbacks: true });
  await pay(inTime);
  await advance(3_600);
  await reaches(inTime, 'approved');
  await reaches(late, 'not_approved');
  await faults();
  await pay(late, { late: true });
  await givenBack(late);
});

t.test('refunds that are slow, refused, or made and not answered', async () => {
  const slow = await paid();
  await faults({ slowRefundsMs: 30_000 });
  await refund(slow.id);
  await refunded(slow.id, ['processing']);
  await advance(3_600);
  await refunded(slow.id, ['refunded']);
  await faults();
  for (const [named, state] of [
    [{ refuseRefunds: true }, 'failed'],
    [{ loseRefundAnswers: true }, 'refunded'],
  ] as const) {
    const payment = await paid();
    await faults(named);
    await refund(payment.id);
    await refunded(payment.id, [state]);
    await faults();
  }
});

t.test('charges without a code, without an answer, while the bank is away', async (t) => {
  await faults({ omitPixCopiaECola: true });
  t.match(await create(), { qrCopyPaste: /^000201/ });
  for (const named of [{ loseChargeAnswers: true }, { status: 503, only: ['putCob'] }]) {
    await faults(named);
    const payment = await create();
    await faults();
    const read = await eventually('the code to come', async () => {
      const { body } = await api(`${payments}/${payment.id}`, { token });
      return body.qrCopyPaste ? body : undefined;
    });
    await pay(read);
    await reaches(payment, 'approved');
  }
});

t.test('the callback is registered, and found so', async (t) => {
  const {
    PIX_CLIENT_ID: clientId = '',
    PIX_CLIENT_SECRET: clientSecret = '',
    PIX_KEY: key = '',
  } = system.env;
  const client = createPixClient({ url: proxies.bank.url, clientId, clientSecret, key });
  t.match(await client.getCallback(), proxies.callbacks.url);
  await client.close();
});

t.test('requests that must be refused', async (t) => {
  const nobody = '0190a5b0-0000-7000-8000-000000000000';
  const asked: [Promise<{ status: number }>, number][] = [
    [api(payments), 401],
    [api(payments, { token: 'pp_unknown' }), 401],
    [api(payments, { token, body: { amount: 1 } }), 400],
    [api(payments, { token, body: { amount: 'x' } }), 400],
    [api(`${payments}?status=lost`, { token }), 400],
    [api(`${payments}/${nobody}`, { token }), 404],
    [api(`/qr/${nobody}.png`), 404],
    [admin(`/admin/payments/${nobody}`), 404],
    [admin('/admin/stores', { body: {} }), 400],
    [admin('/admin/stores', { body: { name: 7 } }), 400],
    [admin('/admin/payments?limit=0'), 400],
    [admin('/admin/stores', { token: 'x' }), 401],
  ];
  for (const [answer, status] of asked) t.equal((await answer).status, status);
});

t.test('the administration’s reads', async (t) => {
  const today = dayOf(new Date(Date.now() + offsetMs));
  const days = `from=${today}&to=${today}`;
  for (const path of [
    `/admin/stores/${store.id}`,
    '/admin/stores',
    '/admin/payments?q=p-1&status=approved',
    `/admin/payments?${days}`,
    '/admin/deliveries?state=delivered',
    '/admin/refunds',
    `/admin/totals?by=day&${days}`,
    `/admin/stores/${store.id}/statement?by=day&${days}`,
    '/admin/unmatched-pix',
    '/admin/banks',
    '/admin/changes',
    '/admin/overview',
    `/admin/reconciliation?${days}`,
  ])
    t.equal((await admin(path)).status, 200, path);
  const { status, body } = await admin(`/admin/reconciliation?date=${today}`);
  t.match([status, body], [200, { date: today, differences: [] }]);
  t.match(body.bank, body.ours);
});

t.test('no exchange departs from the Central Bank’s document, but for its own defects', (t) => {
  const { violations, exchanges } = proxies.bank;
  t.comment(told(exchanges));
  const left = split(violations).filter((one) => !defects.some((defect) => excuses(defect, one)));
  t.strictSame([...new Set(left.map(words))], []);
  for (const defect of defects)
    t.ok(
      split(violations).some((one) => excuses(defect, one)),
      `still met: ${defect.why}`,
    );
  for (const operation of [
    'PUT /cob/',
    'GET /cob/',
    'PATCH /cob/',
    'PUT /pix/',
    'GET /pix ',
    'PUT /webhook/',
  ])
    t.ok(
      [...exchanges.keys()].some((one) => one.startsWith(operation)),
      operation,
    );
  t.end();
});

t.test('no callback departs from it', (t) => {
  const { violations, exchanges } = proxies.callbacks;
  t.comment(told(exchanges));
  t.ok((exchanges.get('POST /pix-callback/{secret}/pix 200') ?? 0) > 10);
  t.strictSame([...new Set(violations.map(words))], []);
  t.end();
});

for (const listener of ['public', 'admin'] as const)
  t.test(`${listener}: no exchange departs from the service’s own document`, (t) => {
    const { violations, exchanges } = proxies[listener];
    t.comment(told(exchanges));
    // A request that the document forbids and the service refuses is as it should be.
    const left = violations.filter(({ of, status }) => of === 'response' || status < 400);
    t.strictSame([...new Set(left.map(words))], []);
    const wrong = violations.filter(({ of }) => of === 'request');
    t.ok(wrong.length >= 2, 'the validator does see what is wrong');
    t.end();
  });

function excuses({ of, operation, what }: Excuse, violation: Violation): boolean {
  return of === violation.of && operation.test(violation.operation) && what.test(violation.what);
}

/** The validator joins all that it finds in one exchange. */
function split(violations: Violation[]): Violation[] {
  return violations.flatMap((one) => one.what.split(', ').map((what) => ({ ...one, what })));
}

function words({ of, operation, status, what }: Violation): string {
  return `${operation} ${status}, ${of}: ${what}`;
}

function told(exchanges: ValidatingProxy['exchanges']): string {
  return [...exchanges].map(([operation, times]) => `${times} × ${operation}`).join('\n');
}
