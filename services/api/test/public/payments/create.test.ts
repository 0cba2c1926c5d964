import { startSystem } from '@payments/testing/system';
import t from 'tap';
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
    ['storeId: the store of the token', () => t.equal(body.storeId, withFees.id)],
    ['createdAt: ISO 8601 date-time', () => t.match(body.createdAt, isoDateTime)],
    ['qrCopyPaste: the Pix code', () => t.match(body.qrCopyPaste, /^000201.*6304[0-9A-F]{4}$/)],
  ];
  for (const [name, check] of rows) await t.test(name, async () => void check());
});

const accepted: [name: string, body: Record<string, unknown>][] = [
  ['amount: 5 is allowed', { amount: 5 }],
  ['amount: 3000 is allowed', { amount: 3000 }],
  ['amount: decimals allowed', { amount: 5.01 }],
  ['amount: decimals that doubles hold badly', { amount: 8.2 }],
  ['amount: just below the maximum', { amount: 2999.99 }],
  ['observation: 2048 characters', { amount: 5, observation: 'ã'.repeat(2048) }],
  ['observation: 2048 characters beyond the BMP', { amount: 5, observation: '🎉'.repeat(2048) }],
  ['observation: empty', { amount: 5, observation: '' }],
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
  ['amount: number, no boolean', { amount: true }, notANumber],
  ['amount: 5 <= amount', { amount: 4.99 }, minimum],
  ['amount: amount <= 3000', { amount: 3000.01 }, maximum],
  ['email: string', { amount: 5, email: 7 }, 'email must be an email'],
  ['observation: string', { amount: 5, observation: 7 }, 'observation must be a string'],
  ['webhookUrl: string', { amount: 5, webhookUrl: 7 }, 'webhookUrl must be a URL'],
  ['webhookUrl: valid', { amount: 5, webhookUrl: 'loja' }, 'webhookUrl must be a URL'],
  ['Valor mínimo: zero', { amount: 0 }, minimum],
  ['Valor mínimo: negative', { amount: -10 }, minimum],
  ['Valor máximo: far above', { amount: 1e15 }, maximum],
  [
    'observation must be shorter: 2049 characters',
    { amount: 5, observation: 'x'.repeat(2049) },
    'observation must be shorter than or equal to 2048 characters',
  ],
  ['webhookUrl must be a URL', { amount: 5, webhookUrl: 'ftp://loja.example' }, 'webhookUrl must be a URL'],
];
for (const [name, body, message] of refused) {
  t.test(name, async (t) => isError(t, await create(body), 400, message));
}

t.test('POST /api-public/payments', async (t) => {
  const { body } = await create(full);
  await t.test('a payment is created for the store of the token', async (t) => {
    const read = await system.api(`/api-public/payments/${body.id}`, { token: store.token });
    t.equal(read.status, 200);
    t.strictSame(Object.keys(read.body).sort(), readFields);
  });
});
