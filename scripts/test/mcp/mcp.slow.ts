import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { root } from '../../src/repository.ts';
import { keepBankUrls } from '../../src/simulated-banks.ts';

/** `npm run mcp` as an assistant's program uses it: the SDK's own client, over standard input and output. */
const system = await startSystem();
t.teardown(system.stop);
const store = await system.createStore();
const acting = ['create_payment', 'read_payment', 'pay_payment', 'break_bank', 'repair_bank'];
const reading = ['search_docs', 'show_operation'];

type Given = { apiUrl?: string; token?: string; banks?: string[]; env?: Record<string, string> };

/** Starts the program beside a system, with the demo store's token and the bank's address in its folder. */
async function connect(
  t: Test,
  { apiUrl = system.url, token = store.token, banks = [system.bankUrl], env = {} }: Given = {},
) {
  const dataDir = t.testdir();
  writeFileSync(join(dataDir, 'demo-store.json'), JSON.stringify({ storeId: store.id, token }));
  keepBankUrls(dataDir, banks);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'scripts/bootstrap.mjs'), 'scripts/src/mcp/main.ts'],
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      API_PORT: new URL(apiUrl).port,
      ...env,
    },
    stderr: 'ignore',
  });
  await client.connect(transport);
  t.teardown(() => client.close());
  const names = (await client.listTools()).tools.map(({ name }) => name);
  return {
    names,
    /** Calls a tool. @returns its text, and whether it says that something went wrong */
    async use(name: string, given: object = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: { ...given } });
      return { text: (content as { text: string }[])[0]?.text ?? '', isError };
    },
  };
}

t.test('the docs are searched, and an operation is shown', async (t) => {
  const { names, use } = await connect(t);
  t.strictSame(names, [...reading, ...acting]);
  const { text } = await use('search_docs', { query: 'verify the signature of a webhook' });
  t.match(text, /^## The signature$/m);
  t.match(text, '```python', 'with its programs');
  const { text: start } = await use('search_docs', { query: 'quick start', limit: 1 });
  t.match(start, /\*\*curl\*\*.+# 1\. Create a payment.+\*\*JavaScript/s, 'a program is whole');
  const { text: portuguese } = await use('search_docs', {
    query: 'idempotencia',
    language: 'pt-BR',
    limit: 1,
  });
  t.match(portuguese, /^## Idempotência/);
  const shown = await use('show_operation', { operation: 'POST /api-public/payments' });
  t.match(shown.text, '(`amountTooLow`)');
  t.match(shown.text, '### `CreatePayment`');
  t.match(shown.text, '- `webhookUrl`');
  t.equal((await use('show_operation', { operation: 'createPayment' })).text, shown.text);
  const unknown = await use('show_operation', { operation: 'payNow' });
  t.ok(unknown.isError);
  t.match(unknown.text, 'createPayment: POST /api-public/payments');
  t.ok((await use('search_docs', { query: '' })).isError, 'a wrong argument is told');
});

t.test('a payment is created, paid and read; the bank is broken and repaired', async (t) => {
  const { use } = await connect(t);
  const created = JSON.parse((await use('create_payment', { amount: 19.9, reference: 'order-1' })).text);
  t.match(created, { status: 'pending', amount: 19.9, reference: 'order-1', storeId: store.id });
  t.match((await use('pay_payment', { id: created.id })).text, 'endToEndId');
  const paid = await eventually('the payment to be approved', async () => {
    const payment = JSON.parse((await use('read_payment', { id: created.id })).text);
    return payment.status === 'approved' ? payment : undefined;
  });
  t.equal(paid.pix.length, 1);

  t.notOk((await use('break_bank', { status: 503, only: ['putCob'] })).isError);
  const without = JSON.parse((await use('create_payment', { amount: 10 })).text);
  t.equal(without.qrCopyPaste, null, 'the bank is broken');
  t.notOk((await use('repair_bank')).isError);
  t.match((await use('create_payment', { amount: 1 })).text, 'Valor mínimo');
});

t.test('in production, or with a real bank, there is nothing that acts', async (t) => {
  for (const env of [{ NODE_ENV: 'production' }, { PIX_URL: 'https://pix.bank.example' }]) {
    const { names, use } = await connect(t, { env });
    t.strictSame(names, reading);
    t.ok((await use('create_payment', { amount: 10 })).isError);
  }
});

t.test(
  'a system that charges at a real bank is refused, though only its own terminal knows of it',
  async (t) => {
    const { use } = await connect(t, { banks: [] });
    const { total } = (await system.api('/api-public/payments', { token: store.token })).body;
    const { text, isError } = await use('create_payment', { amount: 10 });
    t.ok(isError);
    t.match(text, 'charges at other banks');
    t.equal((await system.api('/api-public/payments', { token: store.token })).body.total, total);
  },
);

t.test('a tunnel to another installation is refused, though its port is here', async (t) => {
  const other = await startSystem({ dispatcher: false, env: { PUBLIC_URL: 'https://pay.example.com' } });
  t.teardown(other.stop);
  const elsewhere = await other.createStore();
  const apiUrl = `http://localhost:${other.env.PORT}`;
  const { use } = await connect(t, { apiUrl, token: elsewhere.token });
  for (const [name, given] of [
    ['create_payment', { amount: 10 }],
    ['break_bank', { status: 503 }],
  ] as const) {
    const { text, isError } = await use(name, given);
    t.ok(isError);
    t.match(text, 'serves https://pay.example.com');
  }
  t.equal((await other.api('/api-public/payments', { token: elsewhere.token })).body.total, 0);
});

t.test('what does not run is told', async (t) => {
  const { use } = await connect(t, { apiUrl: 'http://localhost:1' });
  const { text, isError } = await use('create_payment', { amount: 10 });
  t.ok(isError);
  t.match(text, 'npm start does not run at http://localhost:1');
});
