import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { openApiDocument } from '@payments/testing/openapi/document';
import { startReceiver } from '@payments/testing/receiver';
import t from 'tap';
import { type SampleRequest, sampleLanguages, sampleOf } from '../../docs/page/sample.ts';
import { type OpenApiDocument, operationsOf, resolve } from '../../src/docs/document.ts';
import { bodyExample } from '../../src/docs/reference/reference.ts';

/** The reference's samples, run: each sends the request that it shows. */
const receiver = await startReceiver();
t.teardown(receiver.close);
const base = new URL(receiver.url).origin;
const document = openApiDocument('public').raw as unknown as OpenApiDocument;

/** The programs that run a language's samples. The first one that can is used. */
const programs: Record<string, string[][]> = {
  curl: [['bash']],
  javascript: [[process.execPath, '--input-type=module', '-']],
  // The system's own Python is the one to which a package manager adds `requests`.
  python: [
    ['python3', '-'],
    ['/usr/bin/python3', '-'],
  ],
  php: [['php']],
};
const needed: Record<string, string> = {
  curl: 'curl --version',
  javascript: '0',
  python: 'import requests',
  php: '<?php curl_version();',
};

const requests: Record<string, SampleRequest> = Object.fromEntries(
  operationsOf(document)
    .filter(({ isWebhook }) => !isWebhook)
    .map((located) => {
      const { operationId, parameters = [], security = [] } = located.operation;
      const request = { ...located, base, inPath: {}, inQuery: {}, headers: {} };
      const places = { path: request.inPath, query: request.inQuery, header: request.headers };
      for (const parameter of parameters) {
        const { in: place, name } = resolve(document, parameter);
        Object.assign(places[place], { [name]: `an ${name} & more` });
      }
      if (security.length > 0) Object.assign(request.headers, { Authorization: 'Bearer pp_token' });
      const example = bodyExample(document, located);
      if (example !== undefined) Object.assign(request.headers, { 'Content-Type': 'application/json' });
      return [operationId, { ...request, body: example === undefined ? undefined : JSON.stringify(example) }];
    }),
);
const awkward = {
  amount: 19.9,
  observation: `It's "Açaí" 🍇, $HOME \`id\` \\ and\nmore`,
  email: null,
  nested: { yes: true, no: false, list: [1, 'two', null] },
};
if (requests.createPayment)
  requests.awkward = { ...requests.createPayment, body: JSON.stringify(awkward, undefined, 2) };

for (const language of sampleLanguages) {
  const program = await programOf(language.id);
  const skip = program === undefined && `no program here runs samples in ${language.title}`;
  t.test(language.title, { skip }, async (t) => {
    for (const [name, request] of Object.entries(requests)) {
      const before = receiver.received.length;
      const source = sampleOf(language, request);
      const { status, errors } = await run(program ?? [], source);
      t.equal(status, 0, `${name} runs: ${errors}`);
      t.equal(receiver.received.length, before + 1, `${name} is sent once`);
      const sent = receiver.received[before];
      if (!sent) continue;
      t.equal(sent.method.toLowerCase(), request.method, `${name}: method`);
      t.equal(decodeURIComponent(sent.path.replaceAll('+', ' ')), pathOf(request), `${name}: address`);
      for (const [header, value] of Object.entries(request.headers))
        t.equal(sent.headers[header.toLowerCase()], value, `${name}: ${header}`);
      if (request.body !== undefined)
        t.strictSame(JSON.parse(sent.body), JSON.parse(request.body), `${name}: body`);
    }
  });
}

function pathOf({ path, inPath, inQuery }: SampleRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_place, name: string) => inPath[name] ?? '');
  const query = Object.entries(inQuery).map(([name, value]) => `${name}=${value}`);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

async function programOf(language: string): Promise<string[] | undefined> {
  for (const program of programs[language] ?? []) {
    const { status } = await run(program, needed[language] ?? '');
    if (status === 0) return program;
  }
  return undefined;
}

async function run(
  [program = '', ...args]: string[],
  source: string,
): Promise<{ status: number; errors: string }> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => {}).end(source);
  const failed = once(child, 'error').then(([error]) => ({ status: -1, errors: String(error) }));
  const ended = Promise.all([text(child.stderr), once(child, 'close')]);
  return Promise.race([failed, ended.then(([errors, [status]]) => ({ status: Number(status), errors }))]);
}
