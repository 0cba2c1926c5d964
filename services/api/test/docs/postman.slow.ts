import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startBanks } from '@payments/testing/several-banks';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** Postman’s own runner sends the requests of the collection. */
const runner = ['exec', '--yes', '--package=newman@6.2.2', '--', 'newman'];
const { status } = await npm([...runner, '--version']);

t.test('the Postman collection', { skip: status !== 0 && 'newman can’t be had from npm' }, async (t) => {
  const banks = await startBanks([{ id: 'test' }]);
  const system = await startSystem({ dispatcher: false, env: { TEST_BANK_FILE: banks.write() } });
  t.teardown(async () => {
    await system.stop();
    await banks.close();
  });
  // The only store for which every operation exists.
  const { token } = await system.createStore({ test: true, tokenMay: ['refund', 'cancel'] });
  const { body: payment } = await system.api('/api-public/payments', { token, body: { amount: 5 } });
  const file = join(t.testdir({}), 'collection.json');
  const report = join(t.testdir({}), 'report.json');
  const { text: served } = await system.api('/docs/postman.json');
  const example = /0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36/g;
  writeFileSync(file, served.replace(example, payment.id));
  const variables = { bearerToken: token, id: payment.id, baseUrl: system.url };
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const reporter = ['--reporters', 'json', '--reporter-json-export', report];
  const { status, output } = await npm([...runner, 'run', file, ...given, ...reporter]);
  t.equal(status, 0, output);
  const { run } = (await import(report, { with: { type: 'json' } })).default;
  const answers = run.executions.map(
    ({ item, response }: { item: { name: string }; response: { code: number } }) =>
      `${item.name}: ${response.code}`,
  );
  t.equal(answers.length, 12);
  // The payment is not paid when the refund is ordered.
  for (const answer of answers)
    t.match(
      answer,
      /^Refund a payment/.test(answer) ? /: 409$/ : /^Make the test bank/.test(answer) ? /: 202$/ : /: 200$/,
    );
});

async function npm(args: string[]): Promise<{ status: number; output: string }> {
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status: Number(status), output: out + errors };
}
