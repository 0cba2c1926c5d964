import { readFile } from 'node:fs/promises';
import { startSystem } from '@payments/testing/system';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import t from 'tap';

/** The OpenAPI documents themselves: what is served is what the files say, and a linter finds nothing in them. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const recommended = await createConfig({ extends: ['recommended'] });

const documents: [
  listener: string,
  file: string,
  served: () => Promise<{ body: Record<string, unknown> }>,
][] = [
  ['public', 'openapi.json', () => system.api('/docs/json')],
  ['admin', 'openapi-admin.json', () => system.admin('/docs/json', { token: '' })],
];
for (const [listener, file, served] of documents) {
  const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');

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
