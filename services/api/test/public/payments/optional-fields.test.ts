import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { isError } from './expectations.ts';

/** `reference`, `expiresIn` and `description` (Contract: optional fields). */
const system = await startSystem({ env: { CHARGE_GRACE_SECONDS: '0' } });
t.teardown(system.stop);
const store = await system.createStore();
const path = '/api-public/payments';
const create = (body: unknown, token = store.token) => system.api(path, { token, body });
const list = (query = '', token = store.token) => system.api(`${path}${query}`, { token });
/** The bank counts from its own moment, so the last second may be missing. */
const isAbout = (left: number, seconds: number) => left > 0 && [seconds, seconds - 1].includes(left);
const chargeOf = async ({ id }: { id: string }) =>
  (await system.bank(`/bank/charges/${id.replaceAll('-', '')}`)).body;

const contracts = [
  'id',
  'status',
  'amount',
  'feeAmount',
  'liquidValue',
  'storeId',
  'createdAt',
  'observation',
  'email',
  'qrCodeUrl',
  'qrCopyPaste',
  'isPublic',
];

t.test('without them, responses have the contract’s fields and no others, in their order', async (t) => {
  const created = await create({ amount: 10 });
  t.strictSame(Object.keys(created.body), contracts);
  t.equal(created.text, JSON.stringify(created.body));
  const nulls = await create({ amount: 10, reference: null, expiresIn: null, description: null });
  t.strictSame(Object.keys(nulls.body), contracts);
  const read = await system.api(`${path}/${created.body.id}`, { token: store.token });
  t.strictSame(Object.keys(read.body), [...contracts, 'webhookUrl']);
  t.strictSame(read.body, { ...created.body, webhookUrl: null });
  t.strictSame((await list()).body.items[1], read.body);
  t.ok(isAbout((await chargeOf(created.body)).calendario.expiracao, 86_400), 'the default time to pay');
});

t.test('with one of them, responses show that one; webhooks and events show none', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const webhookUrl = receiver.url;
  for (const given of [
    { reference: 'pedido 1' },
    { expiresIn: 600 },
    { description: 'Aula de violão' },
    { reference: 'ção 🎉', expiresIn: 60, description: ' 🎉 “dois”\n ' },
  ]) {
    const { body } = await create({ amount: 10, webhookUrl, ...given });
    const names = Object.keys(given);
    t.strictSame(Object.keys(body), [...contracts, ...names]);
    t.match(body, given);
    const read = (await system.api(`${path}/${body.id}`, { token: store.token })).body;
    t.strictSame(Object.keys(read), [...contracts, 'webhookUrl', ...names]);
    t.match(read, given);
    t.strictSame((await list('?limit=1')).body.items, [read]);
    const { events, ...detail } = (await system.admin(`/admin/payments/${body.id}`)).body;
    t.match(detail, given);
    const webhook = await receiver.waitFor((request) => request.body.includes(body.id));
    t.strictSame(Object.keys(JSON.parse(webhook.body)), ['event', ...contracts]);
    const event = system.db.selectFrom('events').select('payload').where('id', '=', events[0]!.id);
    t.strictSame(Object.keys((await event.executeTakeFirstOrThrow()).payload), contracts);
  }
});

const long = 'é'.repeat(100);
const refused: [name: string, body: Record<string, unknown>, message: string][] = [
  ['reference: a number', { reference: 7 }, 'reference must be a string'],
  ['reference: a list', { reference: ['a'] }, 'reference must be a string'],
  ['reference: empty', { reference: '' }, 'reference must be longer than or equal to 1 characters'],
  ['reference: 101', { reference: `${long}x` }, 'reference must be shorter than or equal to 100 characters'],
  ['reference: U+0000', { reference: 'a\0' }, 'reference must not contain null characters'],
  ['expiresIn: text', { expiresIn: '60' }, 'expiresIn must be an integer number'],
  ['expiresIn: a fraction', { expiresIn: 1.5 }, 'expiresIn must be an integer number'],
  ['expiresIn: true', { expiresIn: true }, 'expiresIn must be an integer number'],
  ['expiresIn: zero', { expiresIn: 0 }, 'expiresIn must not be less than 1'],
  ['expiresIn: negative', { expiresIn: -60 }, 'expiresIn must not be less than 1'],
  ['expiresIn: 31 days', { expiresIn: 2_592_001 }, 'expiresIn must not be greater than 2592000'],
  ['expiresIn: huge', { expiresIn: 1e300 }, 'expiresIn must not be greater than 2592000'],
  ['description: a number', { description: 7 }, 'description must be a string'],
  ['description: a list', { description: ['a'] }, 'description must be a string'],
  ['description: empty', { description: '' }, 'description must be longer than or equal to 1 characters'],
  [
    'description: 141',
    { description: `${'🎉'.repeat(140)}x` },
    'description must be shorter than or equal to 140 characters',
  ],
  ['description: U+0000', { description: 'a\0' }, 'description must not contain null characters'],
  ['order: webhookUrl first', { expiresIn: 0, reference: '', webhookUrl: 'x' }, 'webhookUrl must be a URL'],
  ['order: reference second', { expiresIn: 0, reference: 1 }, 'reference must be a string'],
  ['order: description last', { description: 1, expiresIn: 0 }, 'expiresIn must not be less than 1'],
];
for (const [name, body, message] of refused) {
  t.test(name, async (t) => isError(t, await create({ amount: 10, ...body }), 400, message));
}

t.test('their bounds', async (t) => {
  for (const reference of ['x', ' ', long, '🎉'.repeat(100), "'; drop --", '\ud800'])
    t.equal((await create({ amount: 10, reference })).status, 200, reference);
  for (const expiresIn of [1, 60, 2_592_000]) {
    const { body } = await create({ amount: 10, expiresIn });
    t.ok(isAbout((await chargeOf(body)).calendario.expiracao, expiresIn), `${expiresIn} s at the bank`);
    const { expiresAt } = (await system.admin(`/admin/payments/${body.id}`)).body;
    t.equal(Date.parse(expiresAt) - Date.parse(body.createdAt), expiresIn * 1_000);
  }
});

const shownToPayers: [name: string, given: Record<string, string>, message: string | undefined][] = [
  ['as it is', { description: 'Aula de violão, 2 horas' }, 'Aula de violão, 2 horas'],
  ['in letters that a bank takes', { description: '“Café” – São João 🎉\n[7]' }, '"Café" - São João (7)'],
  ['140 characters', { description: 'é'.repeat(140) }, 'é'.repeat(140)],
  ['140 that become more', { description: 'ß'.repeat(140) }, 's'.repeat(140)],
  ['140 that are 280 units', { description: `${'🎉'.repeat(139)}x` }, 'x'],
  ['nothing that a bank takes', { description: '🎉東' }, undefined],
  ['none', {}, undefined],
];
for (const [name, given, message] of shownToPayers) {
  t.test(`description at the bank: ${name}`, async (t) => {
    const { status, body } = await create({ amount: 10, ...given });
    t.strictSame([status, body.description], [200, given.description]);
    const charge = await chargeOf(body);
    t.equal(charge.solicitacaoPagador, message);
    t.equal('solicitacaoPagador' in charge, message !== undefined);
  });
}

t.test('the payer reads Loja and Pedido before anything that only the service reads', async (t) => {
  const named = await system.createStore({ name: 'Padaria “Pão”' });
  const id = { nome: 'ID da loja', valor: named.id };
  const Loja = { nome: 'Loja', valor: 'Padaria "Pão"' };
  for (const [reference, shown] of [
    ['nº 42 – “A”', [{ nome: 'Pedido', valor: 'no 42 - "A"' }]],
    ['🎉', []],
    [undefined, []],
  ] as const) {
    const { body } = await create({ amount: 10, reference }, named.token);
    t.strictSame((await chargeOf(body)).infoAdicionais, [Loja, ...shown, id]);
  }
});

t.test('an administrator’s creation has the same fields', async (t) => {
  const body = { amount: 10, description: 'Aula', reference: 'da administração' };
  const made = await system.admin(`/admin/stores/${store.id}/payments`, { body });
  t.match(made.body, body);
  t.equal((await chargeOf(made.body)).solicitacaoPagador, 'Aula');
  const wrong = { body: { amount: 10, description: '' } };
  const message = 'description must be longer than or equal to 1 characters';
  isError(t, await system.admin(`/admin/stores/${store.id}/payments`, wrong), 400, message);
});

t.test('after its own time the payment is not approved', async () => {
  const { body } = await create({ amount: 10, expiresIn: 1 });
  await system.waitForStatus(store, body.id, 'not_approved');
});

const taken = 'Já existe um pagamento com esta referência.';

t.test('a second payment with a reference: 409, nothing created, no bank asked', async (t) => {
  const first = await create({ amount: 10, reference: 'único' });
  const total = (await list()).body.total;
  const charges = system.simulator.bank.ledger.charges.size;
  for (const body of [
    { amount: 10, reference: 'único' },
    { amount: 11, email: 'ana@example.com', reference: 'único' },
  ])
    isError(t, await create(body), 409, taken);
  const byAdministrator = { body: { amount: 10, reference: 'único' } };
  isError(t, await system.admin(`/admin/stores/${store.id}/payments`, byAdministrator), 409, taken);
  t.equal((await list()).body.total, total);
  t.equal(system.simulator.bank.ledger.charges.size, charges);
  await system.admin(`/admin/payments/${first.body.id}/status`, { body: { status: 'not_approved' } });
  isError(t, await create({ amount: 10, reference: 'único' }), 409, taken);
});

t.test('another store, another case and another reference are free', async (t) => {
  await create({ amount: 10, reference: 'livre' });
  const other = await system.createStore();
  t.equal((await create({ amount: 10, reference: 'livre' }, other.token)).status, 200);
  for (const reference of ['Livre', 'livre ', 'livré'])
    t.equal((await create({ amount: 10, reference })).status, 200, reference);
});

t.test('Idempotency-Key: the same creation returns its payment, not a 409', async (t) => {
  const send = (key: string, body: unknown) =>
    system.api(path, { token: store.token, body, headers: { 'idempotency-key': key } });
  const body = { amount: 10, reference: 'repetido', expiresIn: 600, description: 'um' };
  const first = await send('k1', body);
  t.equal(first.status, 200);
  t.equal((await send('k1', body)).text, first.text);
  isError(t, await send('k2', body), 409, taken);
  isError(t, await send('k2', body), 409, taken);
  const reused = 'A Idempotency-Key já foi usada com outro corpo.';
  isError(t, await send('k1', { ...body, reference: 'outro' }), 422, reused);
  isError(t, await send('k1', { ...body, expiresIn: 601 }), 422, reused);
  isError(t, await send('k1', { ...body, description: 'outra' }), 422, reused);
  const together = { amount: 10, reference: 'repetido junto' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('k3', together)));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
});

t.test('the administration finds a payment by its whole reference, shows and exports it', async (t) => {
  const { body } = await create({ amount: 10, reference: 'Pedido/77 <b>' });
  const search = async (q: string) =>
    (await system.admin(`/admin/payments?${new URLSearchParams({ q })}`)).body.items;
  t.match(await search('Pedido/77 <b>'), [{ id: body.id, reference: 'Pedido/77 <b>' }]);
  t.strictSame(await search('Pedido/77'), []);
  const csv = (await system.admin('/admin/payments.csv')).text;
  const rows: Record<string, string>[] = parse(csv, { columns: true });
  t.equal(rows.find(({ id }) => id === body.id)?.reference, 'Pedido/77 <b>');
  const person = panelClient(system.adminUrl);
  await person.signIn();
  t.match((await person.get(`/panel/payments/${body.id}`)).text, 'Pedido/77 &lt;b&gt;');
  const found = await person.get(`/panel/payments?${new URLSearchParams({ q: 'Pedido/77 <b>' })}`);
  t.equal(found.headers.get('location'), `/panel/payments/${body.id}`);
});

t.test('the administration finds a payment by a part of its description, and shows it', async (t) => {
  const { body } = await create({ amount: 10, observation: 'nota', description: 'Violão <i> às 9' });
  const found = await system.admin(`/admin/payments?${new URLSearchParams({ q: 'violão <I>' })}`);
  t.match(found.body.items, [{ id: body.id, description: 'Violão <i> às 9' }]);
  const across = await system.admin(`/admin/payments?${new URLSearchParams({ q: 'nota\nviolão' })}`);
  t.strictSame(across.body.items, []);
  const person = panelClient(system.adminUrl);
  await person.signIn();
  t.match((await person.get(`/panel/payments/${body.id}`)).text, 'Violão &lt;i&gt; às 9');
});

t.test('while the bank is away, the reference is taken all the same', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const begunAt = Date.now();
  const waiting = await create({ amount: 10, reference: 'espera', expiresIn: 600, description: 'Aula' });
  t.match(waiting.body, { qrCopyPaste: null, reference: 'espera' });
  isError(t, await create({ amount: 10, reference: 'espera' }), 409, taken);
  await system.bank('/bank/faults', {});
  await eventually('its code', async () => {
    const { body } = await system.api(`${path}/${waiting.body.id}`, { token: store.token });
    return body.qrCopyPaste ?? undefined;
  });
  const charge = await chargeOf(waiting.body);
  t.equal(charge.solicitacaoPagador, 'Aula', 'the charge that came late has its texts, too');
  t.match(charge.infoAdicionais?.[1], { nome: 'Pedido', valor: 'espera' });
  const left = charge.calendario.expiracao;
  const passed = (Date.now() - begunAt) / 1_000;
  t.ok(left >= 599 - passed && left <= 600, `${left} seconds left at the bank after ${passed}`);
});
