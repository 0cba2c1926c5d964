import { readFile } from 'node:fs/promises';
import type { Json } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import t from 'tap';

/** The served OpenAPI documents equal the files, and a linter finds nothing in them. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const stores: Json = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
const recommended = await createConfig({ extends: ['recommended'] });

const documents: [
  listener: string,
  file: string,
  served: () => Promise<{ body: Record<string, unknown> }>,
][] = [
  ['public', 'openapi.json', () => system.api('/docs/json')],
  ['admin', 'openapi-admin.json', () => system.admin('/docs/json', { token: '' })],
];
const texts = await Promise.all(
  documents.map(([, file]) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')),
);
for (const [index, [listener, file, served]] of documents.entries()) {
  const text = texts[index] ?? '';

  t.test(`${listener}: ${file} is what is served; else run npm run openapi`, async (t) => {
    const { servers: _, ...inFile } = JSON.parse(text);
    const { servers, ...inService } = (await served()).body;
    t.strictSame(inFile, inService);
    t.ok(servers);
  });

  t.test(`${listener}: the linter’s recommended rules find nothing`, async (t) => {
    const options = { source: text, absoluteRef: file, config: recommended };
    const problems = await lintFromString(options);
    const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
    t.strictSame(found, []);
  });
}

t.test('every operation, parameter, answer and field says what it is', (t) => {
  const silent: string[] = [];
  const says = (what: string, text: unknown) => {
    if (typeof text !== 'string' || text.length < 10 || text === 'Default Response') silent.push(what);
  };
  for (const [path, item] of Object.entries({ ...stores.paths, ...stores.webhooks })) {
    for (const [method, operation] of Object.entries(item as Record<string, Json>)) {
      const name = `${method} ${path}`;
      says(name, operation.description);
      t.ok(operation.operationId && operation.summary && operation.tags?.length && operation.security, name);
      for (const parameter of operation.parameters ?? [])
        says(`${name} ${parameter.name}`, parameter.description);
      for (const [status, answer] of Object.entries<{ $ref?: string; description?: string }>(
        operation.responses,
      ))
        if (!answer.$ref) says(`${name} ${status}`, answer.description);
    }
  }
  for (const [name, schema] of Object.entries<Json>(stores.components.schemas)) {
    says(name, schema.description);
    for (const [field, property] of Object.entries<Json>(schema.properties ?? {}))
      if (!property.$ref) says(`${name}.${field}`, property.description);
  }
  for (const tag of stores.tags) says(`tag ${tag.name}`, tag.description);
  t.strictSame(silent, []);
  t.end();
});

t.test('each error of the contract is documented with its exact message, on its operations', (t) => {
  const text = (path: string, method: string) =>
    JSON.stringify(resolved(stores.paths[path][method].responses));
  const all = [
    'Bearer token ausente.',
    'Token inválido ou expirado.',
    'Apenas o token mais recente é válido.',
  ];
  const create = [
    'Valor mínimo permitido para geração de pagamentos é R$ 5,00.',
    'Valor máximo permitido para geração de pagamentos é R$ 3000,00.',
    'email must be an email',
    'observation must be shorter than or equal to 2048 characters',
    'webhookUrl must be a URL',
  ];
  const [list, one] = ['/api-public/payments', '/api-public/payments/{id}'];
  for (const message of [...all, 'Loja inativa.']) {
    for (const responses of [text(list, 'post'), text(list, 'get'), text(one, 'get')])
      t.ok(responses.includes(`"${message}"`), message);
  }
  for (const message of create) t.ok(text(list, 'post').includes(`"${message}"`), message);
  t.ok(text(one, 'get').includes('"Pagamento não encontrado."'));
  t.end();
});

/** Resolves the references of a schema. */
function resolved(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  const name = $ref?.match(/^#\/components\/responses\/(.+)$/)?.[1];
  if (name) return stores.components.responses[name];
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
}
