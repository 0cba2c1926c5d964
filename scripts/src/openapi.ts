import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAdminApp } from '@payments/api/administration/app';
import { buildPublicApp } from '@payments/api/public/app';
import { clientTypes, clientTypesFile } from './client-types.ts';
import { docsScript, docsScriptFile } from './docs-script.ts';
import { documentsContext } from './documents-context.ts';
import { openApi30 } from './openapi-3.0.ts';
import { postmanCollection } from './postman-collection.ts';
import { root } from './repository.ts';

/**
 * `npm run openapi`: writes the OpenAPI documents of both listeners, the client's types and the docs pages' script to
 * files.
 */
const { context, log, close } = documentsContext({ publicUrl: '/' });
const listeners = [
  { build: buildPublicApp, name: 'openapi' },
  { build: buildAdminApp, name: 'openapi-admin' },
];
for (const { build, name } of listeners) {
  const app = await build(context, log);
  await app.ready();
  await writeJson(join('services', 'api', `${name}.json`), app.swagger());
  if (name === 'openapi') {
    await writeJson(join('services', 'api', 'openapi-3.0.json'), openApi30(app.swagger()));
    await writeJson(join('services', 'api', 'postman.json'), await postmanCollection(app.swagger()));
    await write(clientTypesFile, await clientTypes(app.swagger()));
  }
  await app.close();
}
await close();
await write(docsScriptFile, await docsScript());

async function write(file: string, text: string): Promise<void> {
  await writeFile(join(root, file), text);
  console.log(`wrote ${file}`);
}

function writeJson(file: string, document: object): Promise<void> {
  return write(file, `${JSON.stringify(document, null, 2)}\n`);
}
