import { recordChargeProblem } from '@payments/database/charges/problems';
import { insertUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { connect } from '@payments/database/connection';
import { newId, txidOf } from '@payments/domain/identifiers';
import { startBanks } from '@payments/testing/several-banks';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from './panel-client.ts';
import { newPerson } from './panel-people.ts';

/** Test stores are in no list or sum unless asked for, and by id everything is shown (Contract: test stores). */
const banks = await startBanks([{ id: 'test' }]);
const system = await startSystem({
  env: {
    SCAN_INTERVAL_SECONDS: '1',
    TEST_BANK_FILE: banks.write(),
    WEBHOOK_RETRY_SECONDS: '1',
    REFUND_RETRY_SECONDS: '3600',
    // Nothing listens there.
    NOTICES_URL: 'http://127.0.0.1:9/hook',
    NOTICES_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
  },
});
const db = connect(system.env.DATABASE_URL!, { poolSize: 2 });
t.teardown(async () => {
  await db.destroy();
  await system.stop();
  await banks.close();
});
const tested = await system.createStore({
  test: true,
  name: 'Loja de testes',
  feePercent: 1,
  reviewAbove: 100,
});
const real = await system.createStore({ name: 'Loja real', feePercent: 1, reviewAbove: 100 });
const webhookUrl = 'https://127.0.0.1.nip.invalid/';

const create = async (token: string, amount: number) =>
  (await system.api('/api-public/payments', { token, body: { amount, webhookUrl } })).body;
const payReal = (payment: { qrCopyPaste: string | null }) =>
  system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
const payTest = ({ id }: { id: string }) =>
  system.api(`/api-public/payments/${id}/test`, { token: tested.token, body: { do: 'pay' } });

// Each store has 7 or 9 reais approved, a review of 150 or 250, a refund that waits, an unmatched Pix and a problem.
const [testApproved, realApproved] = [await create(tested.token, 7), await create(real.token, 9)];
const [testReview, realReview] = [await create(tested.token, 150), await create(real.token, 250)];
for (const payment of [testApproved, testReview]) await payTest(payment);
for (const payment of [realApproved, realReview]) await payReal(payment);
for (const [store, id, status] of [
  [tested, testApproved.id, 'approved'],
  [real, realApproved.id, 'approved'],
  [tested, testReview.id, 'review'],
  [real, realReview.id, 'review'],
] as const)
  await system.waitForStatus(store, id, status);
const at = new Date();
const txids = { test: txidOf(newId()), default: txidOf(newId()) };
const pixOf = { test: 'E00000000202611261200aaaaaaaaaaa', default: 'E00000000202611261200bbbbbbbbbbb' };
for (const bank of ['test', 'default'] as const) {
  const endToEndId = pixOf[bank];
  const txid = txids[bank];
  await insertUnmatchedPix(db, {
    endToEndId,
    bank,
    txid,
    amount: 500,
    reason: 'no_payment',
    paidAt: at,
    receivedAt: at,
  });
  const error = { code: 'no_payment' } as const;
  await recordChargeProblem(db, { bank, txid, work: 'settle', paymentId: null, error, now: at });
}
await banks
  .at('test')
  .simulator.inject({ method: 'POST', url: '/bank/faults', payload: { slowRefundsMs: 600_000 } });
await system.bank('/bank/faults', { slowRefundsMs: 600_000 });
for (const { id } of [testApproved, realApproved])
  await system.admin(`/admin/payments/${id}/refunds`, { body: { amount: 2 } });
await eventually('both refunds at their banks', async () => {
  const rows = await db.selectFrom('refunds').select('state').execute();
  return rows.length === 2 && rows.every(({ state }) => state === 'processing') ? true : undefined;
});
await eventually('failing receivers', async () => {
  const rows = await db.selectFrom('failingEndpoints').select('storeId').execute();
  return rows.length === 2 ? true : undefined;
});
await db
  .updateTable('deliveries')
  .set({ state: 'dead', nextAttemptAt: null })
  .where('claimedBy', 'is', null)
  .execute();

type Body = { items: Record<string, unknown>[]; total?: number };
const read = async (path: string, token?: string): Promise<Body> =>
  (await system.admin(`/admin${path}`, token === undefined ? {} : { token })).body;
const storeKey = async (storeId: string) =>
  (await system.admin('/admin/keys', { body: { name: 'x', role: 'store_admin', storeId } })).body
    .key as string;
const idsIn = ({ items }: Body, name: string) => [...new Set(items.map((item) => item[name]))].sort();

const lists: [path: string, name: string, ofTests: unknown[], ofOthers: unknown[]][] = [
  ['/stores', 'id', [tested.id], [real.id]],
  ['/payments', 'storeId', [tested.id], [real.id]],
  ['/payments?q=nip', 'storeId', [], []],
  ['/payments?status=review', 'id', [testReview.id], [realReview.id]],
  [`/payments?from=2020-01-01`, 'storeId', [tested.id], [real.id]],
  ['/reviews', 'storeId', [tested.id], [real.id]],
  ['/refunds', 'storeId', [tested.id], [real.id]],
  ['/deliveries', 'storeId', [tested.id], [real.id]],
  ['/deliveries?state=dead', 'storeId', [tested.id], [real.id]],
  ['/endpoints', 'storeId', [tested.id], [real.id]],
  ['/unmatched-pix', 'bank', ['test'], ['default']],
  ['/charge-problems', 'txid', [txids.test], [txids.default]],
  ['/banks', 'id', ['test'], ['default']],
  ['/totals?by=store', 'storeId', [tested.id], [real.id]],
];

t.test('whoever and whatever enters for a test store is listed with test stores', async (t) => {
  const ofKind: Record<string, string[]> = { real: [], test: [] };
  for (const [kind, { id: storeId }] of [
    ['real', real],
    ['test', tested],
  ] as const) {
    const email = `ana@${kind}.example`;
    await system.admin('/admin/accounts', { body: { name: kind, email, role: 'store_admin', storeId } });
    await system.admin('/admin/keys', { body: { name: kind, role: 'store_admin', storeId } });
    ofKind[kind] = [kind];
  }
  await system.admin('/admin/accounts', { body: { name: 'olga', email: 'olga@x.example', role: 'owner' } });
  const person = panelClient(system.adminUrl);
  await person.signIn();
  for (const path of ['/accounts', '/keys']) {
    const usual = idsIn(await read(path), 'name');
    t.ok(usual.includes('real') && !usual.includes('test'), path);
    const ofTests = idsIn(await read(`${path}?test=true`), 'name');
    t.ok(ofTests.includes('test') && !ofTests.includes('real') && !ofTests.includes('olga'), path);
    t.match(await read(`${path}?test=yes`), { statusCode: 400 });
    const name = (await person.get(`/panel${path}?test=true`)).text;
    t.match(name, /TESTE/);
    t.match(name, '>test<');
    t.notMatch(name, '>real<');
    t.notMatch((await person.get(`/panel${path}`)).text, '>test<');
  }
  t.ok(idsIn(await read('/accounts'), 'name').includes('olga'), 'the platform’s are no test store’s');
});

t.test('lists have test stores only if asked for, and then alone, whatever store is named', async (t) => {
  for (const [path, name, ofTests, ofOthers] of lists) {
    const and = path.includes('?') ? '&' : '?';
    t.same(idsIn(await read(path), name), ofOthers, path);
    t.same(idsIn(await read(`${path}${and}test=false`), name), ofOthers, path);
    t.same(idsIn(await read(`${path}${and}test=true`), name), ofTests, path);
    if (name !== 'storeId' || ofTests.length === 0 || path === '/endpoints') continue;
    t.same(idsIn(await read(`${path}${and}storeId=${tested.id}`), name), [], path);
    t.same(idsIn(await read(`${path}${and}storeId=${real.id}&test=true`), name), [], path);
    t.same(idsIn(await read(`${path}${and}storeId=${tested.id}&test=true`), name), [tested.id], path);
  }
});

t.test('totals of pages are those of their kind', async (t) => {
  for (const [path] of lists.filter(([path]) =>
    /^\/(payments|reviews|refunds|deliveries|unmatched|charge)/.test(path),
  )) {
    const and = path.includes('?') ? '&' : '?';
    for (const kind of ['', `${and}test=true`]) {
      const { items, total } = await read(`${path}${kind}`);
      t.equal(total, items.length, `${path}${kind}`);
    }
  }
});

t.test('sums are real money, or test money alone', async (t) => {
  const sums = { createdCount: 2, approvedCount: 1 };
  t.match((await read('/totals')).items, [{ ...sums, approvedAmount: 9 }]);
  t.match((await read('/totals?test=true')).items, [{ ...sums, approvedAmount: 7 }]);
  t.match((await read('/totals?by=status&test=true')).items, [
    { status: 'approved', approvedAmount: 7 },
    { status: 'review' },
  ]);
  const part = `from=${new Date(at.getTime() - 3_600_000).toISOString()}`;
  t.match((await read(`/totals?by=store&${part}`)).items, [{ storeId: real.id, approvedAmount: 9 }]);
  t.match((await read(`/totals?by=store&${part}&test=true`)).items, [
    { storeId: tested.id, approvedAmount: 7 },
  ]);
});

t.test('the overview, and the metrics of money, know real stores alone', async (t) => {
  const { body: usual } = await system.admin('/admin/overview');
  const { body: ofTests } = await system.admin('/admin/overview?test=true');
  for (const overview of [usual, ofTests])
    t.match(overview, {
      payments: { approved: 1, review: 1 },
      reviews: { waiting: 1 },
      refunds: { unfinished: 1 },
      unmatchedPix: 1,
      chargeProblems: 1,
      endpoints: { failing: 1 },
    });
  t.not(usual.reviews.oldestSince, ofTests.reviews.oldestSince);
  // On a busy machine, the database's figures may be missing from a scrape.
  const metrics = await eventually('a scrape that read the database', async () => {
    const { text } = await system.admin('/metrics');
    return /^payments_database_up 1$/m.test(text) ? text : undefined;
  });
  t.match(metrics, /^payments_reviews_waiting 1$/m);
  t.match(metrics, /^payments_pix_unmatched\S* 1$/m);
});

t.test('the conciliação is of the real banks, or of the test bank', async (t) => {
  const today = (await read('/totals')).items[0]!.day as string;
  const day = async (kind: string) => (await system.admin(`/admin/reconciliation?date=${today}${kind}`)).body;
  t.match((await day('')).bank, { pixCount: 2, pixAmount: 259 });
  t.match((await day('&test=true')).bank, { pixCount: 2, pixAmount: 157 });
  t.match((await day('&bank=test&test=true')).ours, { pixCount: 2, pixAmount: 157 });
  t.match(await day('&bank=test'), {
    statusCode: 400,
    message: 'bank must be one of the following values: default',
  });
  t.match(await day('&bank=default&test=true'), { statusCode: 400 });
  const range = `/reconciliation?from=${today}&to=${today}`;
  t.match((await read(range)).items, [{ differences: 0 }]);
  t.match((await read(`${range}&test=true`)).items, [{ differences: 0 }]);
});

t.test('a store’s own people and keys see their own without asking, and no other', async (t) => {
  const [ofTests, ofReal] = [await storeKey(tested.id), await storeKey(real.id)];
  for (const path of [
    '/stores',
    '/payments',
    '/reviews',
    '/refunds',
    '/deliveries',
    '/endpoints',
    '/totals?by=store',
  ]) {
    const name = path === '/stores' ? 'id' : 'storeId';
    t.same(idsIn(await read(path, ofTests), name), [tested.id], path);
    t.same(idsIn(await read(path, ofReal), name), [real.id], path);
  }
  t.match((await read('/totals', ofTests)).items, [{ approvedAmount: 7 }]);
});

t.test('by id everything is shown, and says what it is', async (t) => {
  t.match((await system.admin(`/admin/stores/${tested.id}`)).body, { test: true });
  t.match((await system.admin(`/admin/payments/${testApproved.id}`)).body, { test: true, bank: 'test' });
  t.notOk('test' in (await system.admin(`/admin/payments/${realApproved.id}`)).body);
  t.match((await read('/payments?test=true')).items, [{ test: true }, { test: true }]);
  t.match((await system.admin(`/admin/stores/${tested.id}/statement`)).body, { closing: 6.93 });
  t.equal((await system.admin(`/admin/stores/${tested.id}/changes`)).body.total > 0, true);
  const [delivery] = (await read('/deliveries?test=true')).items;
  t.equal((await system.admin(`/admin/deliveries/${delivery!.id}`)).status, 200);
});

t.test('the record leaves out what was done to test stores, unless asked for', async (t) => {
  const of = async (kind: string) => idsIn(await read(`/changes?limit=200${kind}`), 'storeId');
  t.notOk((await of('')).includes(tested.id));
  t.ok((await of('')).includes(real.id));
  t.same(await of('&test=true'), [tested.id]);
});

t.test('exports say TESTE in each row of a test store', async (t) => {
  for (const [path, id] of [
    ['payments', testApproved.id],
    ['refunds', testApproved.id],
    ['deliveries', testApproved.id],
  ] as const) {
    const usual = (await system.admin(`/admin/${path}.csv`)).text;
    t.notMatch(usual, /TESTE/, path);
    t.notMatch(usual, tested.id, path);
    const [head = '', ...rows] = (await system.admin(`/admin/${path}.csv?test=true`)).text
      .trim()
      .split('\r\n');
    t.match(head, /,test$/);
    t.notMatch(usual.split('\r\n')[0], /test/, 'none but in those of test stores');
    t.ok(rows.length > 0 && rows.every((row) => row.endsWith(',TESTE')), path);
    t.ok(
      rows.some((row) => row.includes(id)),
      path,
    );
  }
  const own = await system.admin('/admin/payments.csv', { token: await storeKey(tested.id) });
  t.match(own.text, /,TESTE\r\n/, 'also where its own people export');
  t.match(own.headers.get('content-disposition'), 'payments-TESTE.csv');
  t.notMatch((await system.admin('/admin/payments.csv', { token: await storeKey(real.id) })).text, 'TESTE');
  const named = await system.admin(`/admin/stores/${tested.id}/statement.csv`);
  t.match(named.headers.get('content-disposition'), 'statement-TESTE');
});

t.test('nobody is told of what is a test store’s', async (t) => {
  const shared = await eventually('both reviews to be shared', async () => {
    const notices = await db.selectFrom('notices').select(['id', 'storeId', 'sharedAt']).execute();
    return notices.filter(({ sharedAt, storeId }) => sharedAt !== null && storeId !== null).length >= 2
      ? notices
      : undefined;
  });
  const told = await db.selectFrom('mailNotices').select('noticeId').execute();
  const storesOf = new Set(
    shared.filter(({ id }) => told.some(({ noticeId }) => noticeId === id)).map(({ storeId }) => storeId),
  );
  t.ok(
    shared.some(({ storeId }) => storeId === tested.id),
    'there was something to tell',
  );
  t.ok(storesOf.has(real.id));
  t.notOk(storesOf.has(tested.id));
});

t.test('a wrong test is a 400', async (t) => {
  for (const [path] of lists) {
    const and = path.includes('?') ? '&' : '?';
    const answer = await system.admin(`/admin${path}${and}test=maybe`);
    t.match(answer, { status: 400, body: { message: 'test must be a boolean value' } }, path);
  }
});

t.test('sending all that failed again leaves test stores out, unless one is named', async (t) => {
  const all = await system.admin('/admin/deliveries/redeliver', { body: {} });
  const ofTests = await system.admin('/admin/deliveries/redeliver', { body: { storeId: tested.id } });
  t.same([all.body.redelivered > 0, ofTests.body.redelivered > 0], [true, true]);
});

t.test('the panel shows test stores where they are asked for, and says so', async (t) => {
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const pages = [
    '',
    '/payments',
    '/reviews',
    '/refunds',
    '/deliveries',
    '/deliveries/endpoints',
    '/totals',
    '/reconciliation',
    '/stores',
    '/attention',
    '/status',
    '/banks',
    '/unmatched-pix',
    '/charge-problems',
    '/changes',
  ];
  for (const page of pages) {
    const usual = (await person.get(`/panel${page}`)).text;
    t.notMatch(usual, /Loja de testes<|TESTE/, page);
    t.match(usual, 'href="/panel', page);
    const ofTests = await person.get(`/panel${page}?test=true`);
    t.equal(ofTests.status, 200, page);
    t.match(ofTests.text, 'TESTE', page);
    t.notMatch(ofTests.text, 'Loja real', page);
    const main = ofTests.text.slice(ofTests.text.indexOf('<main')).replaceAll('&amp;', '&');
    const places = [...main.matchAll(/(?:href|action)="(\/panel[^"]*)"/g)].map(([, place = '']) => place);
    const lists = places.filter((place) => pages.includes(place.slice(6).replace(/[?#].*/, '')));
    // The way out of the tests, and forms, which name them in a field.
    const out = lists.filter((place) => !place.includes('test=true') && place !== `/panel${page}`);
    t.same(out, [], `${page}: every list that it leads to is of tests, too`);
  }
  t.match((await person.get(`/panel/payments/${testApproved.id}`)).text, 'TESTE');
  t.notMatch((await person.get(`/panel/payments/${realApproved.id}`)).text, 'TESTE');
  t.match((await person.get(`/panel/stores/${tested.id}`)).text, 'TESTE');
});

t.test('each page says TESTE for the people of a test store, and none for those of a real one', async (t) => {
  for (const [store, says] of [
    [tested, true],
    [real, false],
  ] as const) {
    const person = await newPerson(system, { role: 'store_admin', storeId: store.id });
    const own = `/stores/${store.id}`;
    for (const page of [
      '',
      '/payments',
      '/totals',
      '/reviews',
      '/refunds',
      '/deliveries',
      '/deliveries/endpoints',
    ])
      t.equal((await person.get(`/panel${page}`)).text.includes('TESTE'), says, page);
    for (const page of [own, `${own}/payments/new`, `${own}/statement`])
      t.equal((await person.get(`/panel${page}`)).text.includes('TESTE'), says, page);
  }
  const owner = panelClient(system.adminUrl);
  await owner.signIn();
  t.match((await owner.get(`/panel/stores/${tested.id}/payments/new`)).text, 'TESTE');
  t.notMatch((await owner.get(`/panel/stores/${real.id}/payments/new`)).text, 'TESTE');
});

t.test('a page that answers a form says TESTE, too', async (t) => {
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const today = (await read('/totals')).items[0]!.day as string;
  for (const simulator of [banks.at('test').simulator, system.simulator])
    await simulator.inject({ method: 'POST', url: '/bank/faults', payload: { status: 503 } });
  for (const [query, says, payment, bank] of [
    ['?test=true', true, testApproved, 'test'],
    ['', false, realApproved, 'default'],
  ] as const) {
    const refund = `/panel/unmatched-pix/${pixOf[bank]}/refund${query}`;
    t.equal((await person.post(refund)).status, 303);
    const posts: [path: string, status: number, fields: Record<string, string>][] = [
      [`/panel/payments/${payment.id}/refunds`, 200, { amount: '1' }],
      [`/panel/reconciliation/${today}${query}`, 503, {}],
      [refund, 409, {}],
      [`/panel/banks/${bank}/pause`, 400, { reason: ' ' }],
      [`/panel/keys${query}`, 400, { name: '' }],
    ];
    for (const [path, status, fields] of posts) {
      const answer = await person.post(path, fields);
      t.equal(answer.status, status, path);
      t.equal(answer.text.includes('TESTE'), says, path);
      t.notMatch(answer.text, 'Sair dos testes', path);
    }
  }
});
