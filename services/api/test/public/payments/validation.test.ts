import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { createdFields, isError } from './expectations.ts';

/** Validation of a create request (Contract: validation). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const create = (body: unknown) => system.api('/api-public/payments', { token: store.token, body });

const messages = {
  amount: 'amount must be a number conforming to the specified constraints',
  minimum: 'Valor mínimo permitido para geração de pagamentos é R$ 5,00.',
  maximum: 'Valor máximo permitido para geração de pagamentos é R$ 3000,00.',
  email: 'email must be an email',
  text: 'observation must be a string',
  length: 'observation must be shorter than or equal to 2048 characters',
  url: 'webhookUrl must be a URL',
};

const refused: [name: string, body: unknown, message: string][] = [
  ['money: three decimals', { amount: 10.001 }, messages.amount],
  ['money: three decimals within the bounds’ edge', { amount: 5.001 }, messages.amount],
  ['money: the bounds come before the decimals, below', { amount: 4.999 }, messages.minimum],
  ['money: the bounds come before the decimals, above', { amount: 3000.001 }, messages.maximum],
  ['money: the sum of 0.1 and 0.2, and 10', { amount: 10.100000000000001 }, messages.amount],
  ['money: tiny', '{"amount":1e-400}', messages.minimum],
  ['money: negative zero', '{"amount":-0}', messages.minimum],
  ['money: more than a double holds', '{"amount":1e400}', messages.maximum],
  ['type of amount: an array', { amount: [10] }, messages.amount],
  ['type of amount: an object', { amount: { valueOf: 10 } }, messages.amount],
  ['type of amount: a number as text', { amount: '10.00' }, messages.amount],
  ['type of email: an array', { amount: 10, email: ['ana@example.com'] }, messages.email],
  ['type of observation: an object', { amount: 10, observation: {} }, messages.text],
  ['type of observation: a number', { amount: 10, observation: 0 }, messages.text],
  ['type of observation: a boolean', { amount: 10, observation: false }, messages.text],
  ['type of webhookUrl: an array', { amount: 10, webhookUrl: ['https://loja.example'] }, messages.url],
  ['order: amount first', { webhookUrl: 'x', observation: 1, email: 'x', amount: 'x' }, messages.amount],
  ['order: amount’s bounds first', { webhookUrl: 'x', email: 'x', amount: 1 }, messages.minimum],
  [
    'order: email second',
    { webhookUrl: 'x', observation: 'x'.repeat(3000), email: 'x', amount: 10 },
    messages.email,
  ],
  [
    'order: observation third',
    { webhookUrl: 'x', observation: 'x'.repeat(2049), amount: 10 },
    messages.length,
  ],
  ['order: webhookUrl last', { webhookUrl: 'x', observation: 'x', amount: 10 }, messages.url],
  ['null for what is required', { amount: null }, messages.amount],
  ['a body that is null', 'null', messages.amount],
  ['a body that is an array', '[{"amount":10}]', messages.amount],
  ['a body that is text', '"amount"', messages.amount],
  ['a body that is a number', '10', messages.amount],
  ['an empty body', '', messages.amount],
  ['an amount only in the prototype', '{"__proto__":{"amount":10}}', messages.amount],
  ['an empty URL', { amount: 10, webhookUrl: '' }, messages.url],
];
for (const [name, body, message] of refused) {
  t.test(name, async (t) => isError(t, await create(body), 400, message));
}

t.test('no body and no content type: what is missing is said', async (t) => {
  const answer = await system.api('/api-public/payments', { method: 'POST', token: store.token });
  isError(t, answer, 400, messages.amount);
});

t.test('null in an optional field is the same as absent', async (t) => {
  const { status, body } = await create({ amount: 10, email: null, observation: null, webhookUrl: null });
  t.equal(status, 200);
  t.match(body, { email: null, observation: null });
});

t.test('unknown fields are ignored and never stored', async (t) => {
  const given = {
    amount: 10,
    id: 'mine',
    status: 'approved',
    storeId: 'another',
    isPublic: false,
    feeAmount: 0,
    createdAt: '2000-01-01',
    constructor: { prototype: { status: 'approved' } },
    extra: { deep: [1, 2, 3] },
  };
  const { status, body } = await create(given);
  t.equal(status, 200);
  t.strictSame(Object.keys(body).sort(), createdFields);
  t.match(body, { status: 'pending', storeId: store.id, isPublic: true, feeAmount: null });
  const detail = await system.admin(`/admin/payments/${body.id}`);
  t.notMatch(detail.text, /deep|mine|2000-01-01/);
});

t.test('of a repeated key the last one counts, as for every JSON reader', async (t) => {
  t.equal((await create('{"amount":1,"amount":10}')).body.amount, 10);
});

const emails: [email: string, accepted: boolean][] = [
  ['ana@example.com', true],
  ['ANA@EXAMPLE.COM', true],
  ['a@b.co', true],
  ['ana+pix@example.com', true],
  ['ana.maria-souza_1@sub.example.com.br', true],
  ["o'neil@example.com", true],
  ['"ana souza"@example.com', true],
  ['joão@exâmple.com', true],
  ['ana@xn--exmple-xta.com', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`ana@${'a'.repeat(63)}.com`, true],
  [`ana@${'a'.repeat(64)}.com`, false],
  [`ana@${`${'a'.repeat(60)}.`.repeat(5)}com`, false],
  ['', false],
  [' ', false],
  ['ana', false],
  ['@example.com', false],
  ['ana@', false],
  ['ana@localhost', false],
  ['ana@example', false],
  ['ana@example.c', false],
  ['ana@example..com', false],
  ['ana..souza@example.com', false],
  ['.ana@example.com', false],
  ['ana.@example.com', false],
  ['ana@-example.com', false],
  ['ana@exam_ple.com', false],
  ['ana@127.0.0.1', false],
  ['ana@[127.0.0.1]', false],
  ['ana souza@example.com', false],
  [' ana@example.com', false],
  ['ana@example.com ', false],
  ['ana@example.com\n', false],
  ['ana@example.com\r\nBcc: todos@example.com', false],
  ['Ana <ana@example.com>', false],
  ['ana@example.com,bia@example.com', false],
  ['ana@@example.com', false],
  ['mailto:ana@example.com', false],
  ['a\0na@example.com', false],
  ['ana@exam\0ple.com', false],
  ['ana\ud800@example.com', false],
  ['ana@exam\udc00ple.com', false],
];
for (const [email, accepted] of emails) {
  t.test(`email ${JSON.stringify(email.slice(0, 40))}`, async (t) => {
    const answer = await create({ amount: 10, email });
    if (!accepted) return isError(t, answer, 400, messages.email);
    t.equal(answer.status, 200);
    t.equal(answer.body.email, email);
  });
}

t.test('observation: any text comes back as it was given', async (t) => {
  for (const observation of [
    ' spaces ',
    'linha\nlinha\ttab',
    '<script>alert(1)</script>',
    "'; drop--",
    '\u202e',
  ])
    t.equal((await create({ amount: 10, observation })).body.observation, observation);
});

t.test('observation: a null character, which the database can’t hold, is refused', async (t) => {
  const answer = await create({ amount: 10, observation: 'a\0b' });
  isError(t, answer, 400, 'observation must not contain null characters');
});

t.test('observation: a lone surrogate reads the same at once and later', async (t) => {
  const { status, body } = await create({ amount: 10, observation: 'cortado 🎉'.slice(0, -1) });
  t.equal(status, 200);
  t.equal(body.observation, 'cortado \ufffd');
  const read = await system.api(`/api-public/payments/${body.id}`, { token: store.token });
  t.equal(read.body.observation, body.observation);
});
