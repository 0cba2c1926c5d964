import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAdminApp } from '@payments/api/administration/app';
import type { ApiContext } from '@payments/api/context';
import { longReads } from '@payments/api/http/long-reads';
import { signInTurns } from '@payments/api/people/sign-in/known-place';
import { buildPublicApp } from '@payments/api/public/app';
import { connect } from '@payments/database/connection';
import { secretBox } from '@payments/database/secret-box';
import { httpMetrics } from '@payments/metrics/http';
import { createRegistry } from '@payments/metrics/registry';
import { openBanks } from '@payments/pix/banks';
import { createLogger } from '@payments/runtime/logging';
import { webhookPolicy } from '@payments/webhooks/settings';
import { clientTypes, clientTypesFile } from './client-types.ts';
import { docsScript, docsScriptFile } from './docs-script.ts';
import { openApi30 } from './openapi-3.0.ts';
import { postmanCollection } from './postman-collection.ts';
import { root } from './repository.ts';

/**
 * `npm run openapi`: writes the OpenAPI documents of both listeners, the client's types and the docs pages' script to
 * files.
 */
const log = createLogger('openapi', 'silent');
const register = createRegistry();
// Placeholders: none of them is called, and each would connect only at its first call.
const db = connect('postgres://localhost/none');
const context: ApiContext = {
  db,
  asideDb: db,
  payersDb: db,
  signInTurns: signInTurns(),
  longReads: longReads(db, { running: 1 }),
  banks: openBanks([]),
  log,
  now: () => new Date(),
  publicUrl: '/',
  refundRetrySeconds: [],
  chargeGraceSeconds: 0,
  recoversPayments: false,
  isNatsConnected: () => false,
  isAccepting: () => true,
  loadClock: () => 0,
  register,
  httpMetrics: httpMetrics(register),
  adminKeys: [],
  sealingKeys: { current: '' },
  singleSignOn: undefined,
  requireSecondFactor: 'none',
  proofMs: 0,
  sessionIdleMs: 0,
  adminKey: 'none',
  adminUrl: '/',
  chargeExpiresInSeconds: 1,
  reviewTimeoutSeconds: 1,
  rateLimitPerMinute: 0,
  trustProxy: false,
  keepAliveSeconds: 72,
  qrImagesPerMinute: 0,
  payerPagesPerMinute: 0,
  docsTokenFile: undefined,
  secrets: secretBox({}),
  docsSimulatorUrl: undefined,
  securityContact: undefined,
  webhooks: webhookPolicy(''),
};
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
await db.destroy();
await write(docsScriptFile, await docsScript());

async function write(file: string, text: string): Promise<void> {
  await writeFile(join(root, file), text);
  console.log(`wrote ${file}`);
}

function writeJson(file: string, document: object): Promise<void> {
  return write(file, `${JSON.stringify(document, null, 2)}\n`);
}
