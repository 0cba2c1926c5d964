import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findExecutable } from '@payments/local-servers/executable';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** OpenAPI Generator makes clients of the OpenAPI 3.0 document, and each takes a payment. */
const generator = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2';
const programs = join(import.meta.dirname, 'generated-clients');
const folder = t.testdir({});
const jar = findExecutable('java') && fetchedGenerator();

type Client = {
  name: string;
  /** The generator's options. */
  options: string[];
  /** The programs that may run it; the first one that has what the client needs is used. */
  runners: string[];
  needs: string[];
  needed: string;
  program: string;
};

const clients: Client[] = [
  {
    name: 'python',
    options: ['--package-name', 'payments'],
    // The system's own Python is the one to which a package manager adds libraries.
    runners: ['python3', '/usr/bin/python3'],
    needs: ['-c', 'import certifi, dateutil, six, urllib3'],
    needed: 'Python with certifi, dateutil, six and urllib3',
    program: 'take_payment.py',
  },
  {
    name: 'php',
    options: ['--invoker-package', 'Payments'],
    runners: ['php'],
    needs: ['-r', "mb_strlen(''); require 'GuzzleHttp/autoload.php';"],
    needed: 'PHP with mbstring, and Guzzle on its include path',
    program: 'take-payment.php',
  },
];

for (const client of clients) {
  const runner = client.runners.find((program) => ran(program, client.needs) !== undefined);
  const skip =
    (!runner && `no ${client.needed} on this machine`) ||
    (!jar && 'no Java on this machine, or OpenAPI Generator can’t be had from npm');
  t.test(`a generated client: ${client.name}`, { skip }, async (t) => {
    const system = await startSystem({ dispatcher: false });
    t.teardown(system.stop);
    const { token } = await system.createStore();
    const document = join(folder, 'openapi.json');
    writeFileSync(document, (await system.api('/docs/openapi-3.0.json')).text);
    const made = join(folder, client.name);
    const args = ['generate', '-g', client.name, '-i', document, '-o', made, ...client.options];
    const log = ran('java', ['-jar', jar || '', ...args]);
    t.type(log, 'string', 'the generator accepts the document');
    t.notMatch(log, / ERROR /);

    const child = spawn(runner ?? '', [join(programs, client.program), made, system.url, token]);
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    t.equal(errors, '');
    t.strictSame(JSON.parse(output), {
      created: ['pending', 19.9, null, null, true],
      same: true,
      read: ['Açaí', null, 'pedido-42'],
      page: [1, 1, true],
      refusal: [404, 'Pagamento não encontrado.'],
    });
  });
}

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
