import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAdminApp } from '@payments/api/admin-app';
import type { ApiContext } from '@payments/api/context';
import { buildPublicApp } from '@payments/api/public-app';
import { connect } from '@payments/database/connection';
import { httpMetrics } from '@payments/metrics/http';
import { createRegistry } from '@payments/metrics/registry';
import { openBanks } from '@payments/pix/banks';
import { createLogger } from '@payments/runtime/logging';
import { secretBox } from '@payments/runtime/secret-box';
import { webhookPolicy } from '@payments/webhooks/settings';
import { clientTypes, clientTypesFile } from './client-types.ts';
import { root } from './repository.ts';

/** `npm run openapi`: writes the OpenAPI documents of both listeners, and the client's types, to files. */
const log = createLogger('openapi', 'silent');
const register = createRegistry();
// Placeholders: none of them is called, and each would connect only at its first call.
const db = connect('postgres://localhost/none');
const context: ApiContext = {
  db,
  banks: openBanks([]),
  log,
  now: () => new Date(),
  publicUrl: '/',
  refundRetrySeconds: [],
  chargeGraceSeconds: 0,
  isNatsConnected: () => false,
  isAccepting: () => true,
  register,
  httpMetrics: httpMetrics(register),
  adminKeys: [],
  adminKey: 'none',
  adminUrl: '/',
  chargeExpiresInSeconds: 1,
  reviewTimeoutSeconds: 1,
  rateLimitPerMinute: 0,
  trustProxy: false,
  qrImagesPerMinute: 0,
  payerPagesPerMinute: 0,
  docsTokenFile: undefined,
  secrets: secretBox([]),
  webhooks: webhookPolicy(''),
};
const listeners = { 'openapi.json': buildPublicApp, 'openapi-admin.json': buildAdminApp };
for (const [name, build] of Object.entries(listeners)) {
  const app = await build(context, log);
  await app.ready();
  const file = join('services', 'api', name);
  await writeFile(join(root, file), `${JSON.stringify(app.swagger(), null, 2)}\n`);
  console.log(`wrote ${file}`);
  if (name === 'openapi.json') {
    await writeFile(join(root, clientTypesFile), await clientTypes(app.swagger()));
    console.log(`wrote ${clientTypesFile}`);
  }
  await app.close();
}
await db.destroy();
