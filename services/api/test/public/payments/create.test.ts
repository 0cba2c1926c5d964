import { startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { createdFields, isError, isoDateTime, readFields, uuidV7 } from './expectations.ts';

/** The creation of payments (Contract: creation). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const withFees = await system.createStore({ feePercent: 1.5, feeFixed: 0.4 });
const create = (body: unknown, token = store.token) => system.api('/api-public/payments', { token, body });

const minimum = 'Valor mínimo permitido para geração de pagamentos é R$ 5,00.';
const maximum = 'Valor máximo permitido para geração de pagamentos é R$ 3000,00.';
const notANumber = 'amount must be a number conforming to the specified constraints';
const full = {
  amount: 150.75,
  email: 'cliente@example.com',
  observation: 'Pedido nº 42, ação 🎉',
  webhookUrl: 'https://loja.example/webhooks',
};

t.test('fields of the create response', async (t) => {
  const { status, body, headers } = await create(full, withFees.token);
  const bare = await create({ amount: 5 });
  t.equal(status, 200);
  t.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  t.strictSame(Object.keys(body).sort(), createdFields, 'exactly these');
  t.strictSame(Object.keys(bare.body).sort(), createdFields, 'and the same where little was given');
  const rows: [name: string, check: () => unknown][] = [
    ['id: string, the payment identifier', () => t.match(body.id, uuidV7)],
    ['status: pending', () => t.equal(body.status, 'pending')],
    ['amount: number, the final value', () => t.equal(body.amount, 150.75)],
    ['feeAmount: number when there is one', () => t.equal(body.feeAmount, 2.66)],
    ['feeAmount: null when there is none', () => t.equal(bare.body.feeAmount, null)],
    ['liquidValue: number when there is one', () => t.equal(body.liquidValue, 148.09)],
    ['liquidValue: null when there is none', () => t.equal(bare.body.liquidValue, null)],
    ['storeId: the store of the token', () => t.equal(body.storeId, withFees.id)],
    ['createdAt: ISO 8601 date-time', () => t.match(body.createdAt, isoDateTime)],
    ['observation: as given', () => t.equal(body.observation, full.observation)],
    ['observation: null when absent', () => t.equal(bare.body.observation, null)],
    ['email: as given', () => t.equal(body.email, full.email)],
    ['email: null when absent', () => t.equal(bare.body.email, null)],
    [
      'qrCodeUrl: URL of the image',
      () => t.equal(body.qrCodeUrl, `${system.env.PUBLIC_URL}/qr/${body.id}.png`),
    ],
    ['qrCopyPaste: the Pix code', () => t.match(body.qrCopyPaste, /^000201.*6304[0-9A-F]{4}$/)],
    ['isPublic: always true', () => t.equal(body.isPublic, true)],
    ['webhookUrl: omitted', () => t.notOk('webhookUrl' in body)],
  ];
  for (const [name, check] of rows) await t.test(name, async () => void check());
});

const accepted: [name: string, body: Record<string, unknown>][] = [
  ['amount: 5 is allowed', { amount: 5 }],
  ['amount: 3000 is allowed', { amount: 3000 }],
  ['amount: decimals allowed', { amount: 5.01 }],
  ['amount: decimals that doubles hold badly', { amount: 8.2 }],
  ['amount: just below the maximum', { amount: 2999.99 }],
  ['email: optional', { amount: 5 }],
  ['email: a valid one', { amount: 5, email: 'ana.souza+pix@sub.example.com.br' }],
  ['observation: optional', { amount: 5, email: 'ana@example.com' }],
  ['observation: 2048 characters', { amount: 5, observation: 'ã'.repeat(2048) }],
  ['observation: 2048 characters beyond the BMP', { amount: 5, observation: '🎉'.repeat(2048) }],
  ['observation: empty', { amount: 5, observation: '' }],
  ['webhookUrl: optional', { amount: 5, observation: 'x' }],
  ['webhookUrl: a valid URL', { amount: 5, webhookUrl: 'https://loja.example:8443/pix?loja=7#x' }],
  ['webhookUrl: http, too', { amount: 5, webhookUrl: 'http://loja.example/' }],
];
for (const [name, body] of accepted) {
  t.test(name, async (t) => {
    const answer = await create(body);
    t.equal(answer.status, 200, answer.text);
    const read = await system.api(`/api-public/payments/${answer.body.id}`, { token: store.token });
    t.match(read.body, body, 'and is read back as it was given');
  });
}

const refused: [name: string, body: unknown, message: string][] = [
  ['amount: required', {}, notANumber],
  ['amount: required, not null', { amount: null }, notANumber],
  ['amount: number, no string', { amount: '10' }, notANumber],
  ['amount: number, no boolean', { amount: true }, notANumber],
  ['amount: 5 <= amount', { amount: 4.99 }, minimum],
  ['amount: amount <= 3000', { amount: 3000.01 }, maximum],
  ['email: string', { amount: 5, email: 7 }, 'email must be an email'],
  ['email: valid', { amount: 5, email: 'ana' }, 'email must be an email'],
  ['observation: string', { amount: 5, observation: 7 }, 'observation must be a string'],
  ['webhookUrl: string', { amount: 5, webhookUrl: 7 }, 'webhookUrl must be a URL'],
  ['webhookUrl: valid', { amount: 5, webhookUrl: 'loja' }, 'webhookUrl must be a URL'],
  ['7 400 Valor mínimo: amount < 5', { amount: 4.99 }, minimum],
  ['7 400 Valor mínimo: zero', { amount: 0 }, minimum],
  ['7 400 Valor mínimo: negative', { amount: -10 }, minimum],
  ['7 400 Valor máximo: amount > 3000', { amount: 3000.01 }, maximum],
  ['7 400 Valor máximo: far above', { amount: 1e15 }, maximum],
  ['7 400 email must be an email', { amount: 5, email: 'ana@' }, 'email must be an email'],
  [
    '7 400 observation must be shorter: 2049 characters',
    { amount: 5, observation: 'x'.repeat(2049) },
    'observation must be shorter than or equal to 2048 characters',
  ],
  [
    '7 400 webhookUrl must be a URL',
    { amount: 5, webhookUrl: 'ftp://loja.example' },
    'webhookUrl must be a URL',
  ],
  ['the message is the offending field’s', { amount: 5, email: '' }, 'email must be an email'],
];
for (const [name, body, message] of refused) {
  t.test(name, async (t) => isError(t, await create(body), 400, message));
}

t.test('error body: statusCode and message, nothing else', async (t) => {
  const { body } = await create({ amount: 1 });
  t.strictSame(Object.keys(body).sort(), ['message', 'statusCode']);
  t.ok(Number.isInteger(body.statusCode), 'statusCode: integer');
  t.type(body.message, 'string', 'message: string');
});

t.test('content type application/json', async (t) => {
  const answer = await system.api('/api-public/payments', {
    token: store.token,
    body: JSON.stringify({ amount: 5 }),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  t.equal(answer.status, 200);
});

t.test('POST /api-public/payments', async (t) => {
  const { body } = await create(full);
  await t.test('a payment is created for the store of the token', async (t) => {
    const read = await system.api(`/api-public/payments/${body.id}`, { token: store.token });
    t.equal(read.status, 200);
    t.strictSame(Object.keys(read.body).sort(), readFields);
  });
  await t.test('errors: 401', async (t) => {
    const answer = await system.api('/api-public/payments', { body: full });
    isError(t, answer, 401, 'Bearer token ausente.');
  });
  await t.test('errors: 403', async (t) => {
    await deactivated(t, async (token) => isError(t, await create(full, token), 403, 'Loja inativa.'));
  });
});

t.test('amount: minimum 5, maximum 3000, both inclusive', async (t) => {
  for (const [amount, status] of [
    [4.99, 400],
    [5, 200],
    [3000, 200],
    [3000.01, 400],
  ] as const) {
    t.equal((await create({ amount })).status, status, String(amount));
  }
});

t.test('amount: the maximum can be raised per store', async (t) => {
  const raised = await system.createStore({ maxAmount: 5000.5 });
  t.equal((await create({ amount: 5000.5 }, raised.token)).status, 200);
  const above = await create({ amount: 5000.51 }, raised.token);
  isError(t, above, 400, 'Valor máximo permitido para geração de pagamentos é R$ 5000,50.');
  isError(t, await create({ amount: 3000.01 }), 400, maximum);
});

t.test('observation length: maximum 2048 characters', async (t) => {
  t.equal((await create({ amount: 5, observation: 'x'.repeat(2048) })).status, 200);
  t.equal((await create({ amount: 5, observation: 'x'.repeat(2049) })).status, 400);
});

async function deactivated(t: Test, use: (token: string) => Promise<void>) {
  const other = await system.createStore();
  await system.admin(`/admin/stores/${other.id}`, { method: 'PATCH', body: { active: false } });
  await use(other.token);
  const read = await system.api('/api-public/payments', { token: other.token });
  isError(t, read, 403, 'Loja inativa.');
}
