import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findExecutable } from '@payments/backing-services/executable';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** OpenAPI Generator makes a Python client of the OpenAPI 3.0 document, and the client takes a payment. */
const generator = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2';
const folder = t.testdir({});
const python = ['python3', '/usr/bin/python3'].find(
  (program) => ran(program, ['-c', 'import certifi, dateutil, six, urllib3']) !== undefined,
);
const jar = findExecutable('java') && fetchedGenerator();
const skip =
  (!python && 'no Python with certifi, dateutil, six and urllib3 on this machine') ||
  (!jar && 'no Java on this machine, or OpenAPI Generator can’t be had from npm');

const program = `import json, sys
import payments
from payments.rest import ApiException

host, token = sys.argv[1:]
configuration = payments.Configuration(host=host)
configuration.access_token = token
api = payments.PaymentsApi(payments.ApiClient(configuration))
created = api.create_payment(payments.CreatePayment(amount=19.9, observation="Açaí", email=None))
read = api.get_payment(created.id)
page = api.list_payments(limit=1, status="pending")
try:
    api.get_payment("0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36")
except ApiException as error:
    refusal = [error.status, json.loads(error.body)["message"]]
print(json.dumps({
    "created": [created.status, created.amount, created.fee_amount, created.email, created.is_public],
    "same": read.id == created.id and read.created_at == created.created_at,
    "read": [read.observation, read.webhook_url],
    "page": [page.total, page.limit, page.items[0].id == created.id],
    "refusal": refusal,
}))`;

t.test('a generated Python client', { skip }, async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const { token } = await system.createStore();
  const document = join(folder, 'openapi.json');
  const served = (await system.api('/docs/openapi-3.0.json')).text;
  writeFileSync(document, served);
  const args = ['-jar', jar || '', 'generate', '-g', 'python', '-i', document, '-o', join(folder, 'client')];
  const log = ran('java', [...args, '--package-name', 'payments']);
  t.type(log, 'string', 'the generator accepts the document');
  t.notMatch(log, / ERROR /);

  const child = spawn(python ?? '', ['-c', program, system.url, token], {
    env: { PATH: process.env.PATH, PYTHONPATH: join(folder, 'client') },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  t.equal(errors, '');
  t.strictSame(JSON.parse(output), {
    created: ['pending', 19.9, null, null, true],
    same: true,
    read: ['Açaí', null],
    page: [1, 1, true],
    refusal: [404, 'Pagamento não encontrado.'],
  });
});

/** @returns the generator's program, from its npm package; undefined where it can't be had */
function fetchedGenerator(): string | undefined {
  if (ran('npm', ['pack', generator]) === undefined) return undefined;
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  ran('tar', ['xzf', archive]);
  return join(folder, 'package/bin/openapi-generator.jar');
}

/** @returns what a program printed; undefined if it failed */
function ran(name: string, args: string[]): string | undefined {
  const { status, stdout } = spawnSync(name, args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
