import type { AddressInfo } from 'node:net';
import { connect } from '@payments/database/connection';
import { outboxOf } from '@payments/database/events/outbox';
import { assertSchemaCurrent } from '@payments/database/migrate';
import { listPlaces } from '@payments/database/payments/list-places';
import { connectEvents } from '@payments/events/connection';
import { startPublishing } from '@payments/events/publishing';
import { httpMetrics } from '@payments/metrics/http';
import { serviceMetrics } from '@payments/metrics/service';
import { callbackSecretOf, callbackUrlOf } from '@payments/pix/callback-address';
import { createPixClient } from '@payments/pix/client';
import { pixOptions } from '@payments/pix/settings';
import type { StartOptions } from '@payments/runtime/service';
import { settlementRules } from '@payments/runtime/settlement-rules';
import { trustedProxies } from '@payments/runtime/trusted-proxies';
import { waitForDatabase } from '@payments/runtime/wait-for-database';
import { webhookPolicy } from '@payments/runtime/webhook-policy';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildAdminApp } from './admin-app.ts';
import type { ApiContext } from './context.ts';
import { creationsOn } from './payments/creations.ts';
import { buildDoor, doorOf } from './pix-callback/door.ts';
import { registerCallback } from './pix-callback/registration.ts';
import { buildPublicApp } from './public-app.ts';
import type { ApiSettings } from './settings.ts';

export type Api = {
  port: number;
  adminPort: number;
  /** Where the bank's callback comes: the public port, or one of its own. */
  callbackPort: number;
  /** Answers what is in flight, then closes every connection. */
  close(): Promise<void>;
};

const closingMs = 10_000;
// A checkout waits for it; a charge that the PSP takes later is registered later.
const pixTimeoutMs = 3_000;

/**
 * Starts both listeners with all they need; waits for the database, but neither for NATS nor for the PSP.
 * @throws ConfigurationError; SchemaOutdated when the migrations have not run; EADDRINUSE
 */
export async function startApi(
  settings: ApiSettings,
  log: Logger,
  { now = () => new Date(), stopping }: StartOptions = {},
): Promise<Api> {
  const door = doorOf(settings);
  const webhooks = webhookPolicy(settings.WEBHOOK_ALLOW_PRIVATE, settings.WEBHOOK_DENY);
  const trustProxy = trustedProxies(settings.TRUST_PROXY);
  const metrics = serviceMetrics();
  const pix = createPixClient({ ...pixOptions(settings, pixTimeoutMs), onCall: metrics.pspCalled });
  const db = connect(settings.DATABASE_URL, {
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'payments-api',
    onIdleError: (error) => log.warn({ err: error }, 'lost a database connection'),
  });
  await waitForDatabase(() => assertSchemaCurrent(db), log, stopping);

  const events = connectEvents({ url: settings.NATS_URL, stream: settings.NATS_STREAM, name: 'api', log });
  events.onReconnect(() => {
    events
      .ensureTopology()
      .catch((error: unknown) => log.warn({ err: error }, 'the stream could not be made'));
  });
  const publishing = startPublishing({
    connection: events,
    outbox: outboxOf(db),
    onPublished: metrics.events.published,
    log,
  });

  metrics.watch({ db, pix, isNatsConnected: events.isConnected, now });

  let accepting = true;
  const context: ApiContext = {
    db,
    ...creationsOn(db),
    places: listPlaces(now),
    pix,
    log,
    now,
    ...settlementRules(settings),
    isNatsConnected: events.isConnected,
    isAccepting: () => accepting,
    register: metrics.register,
    httpMetrics: httpMetrics(metrics.register),
    adminKey: settings.ADMIN_KEY,
    adminUrl: settings.ADMIN_URL ?? settings.PUBLIC_URL,
    chargeExpiresInSeconds: settings.CHARGE_EXPIRES_IN_SECONDS,
    reviewTimeoutSeconds: settings.REVIEW_TIMEOUT_SECONDS,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    trustProxy,
    qrImagesPerMinute: settings.QR_IMAGES_PER_MINUTE,
    docsTokenFile: settings.DOCS_TOKEN_FILE,
    callbackSecret: callbackSecretOf(settings.PIX_CLIENT_SECRET ?? settings.ADMIN_KEY),
    webhooks,
  };
  const publicApp = await buildPublicApp(context, log, { callback: door === undefined });
  const adminApp = await buildAdminApp(context, log);
  const doorApp = door && (await buildDoor(door, context, log));
  await publicApp.listen({ port: settings.PORT, host: settings.HOST });
  await adminApp.listen({ port: settings.ADMIN_PORT, host: settings.HOST });
  await doorApp?.listen({ port: door?.port ?? 0, host: settings.HOST });
  const callbackUrl = callbackUrlOf(settings.PIX_CALLBACK_URL ?? context.publicUrl, context.callbackSecret);
  const registration = registerCallback(pix, callbackUrl, log);

  return {
    port: portOf(publicApp),
    adminPort: portOf(adminApp),
    callbackPort: portOf(doorApp ?? publicApp),
    close: async () => {
      accepting = false;
      log.info(
        { forMs: settings.SHUTDOWN_DELAY_MS },
        'not ready any more; serving on while balancers turn away',
      );
      await new Promise((resolve) => setTimeout(resolve, settings.SHUTDOWN_DELAY_MS));
      await Promise.all([
        closeWithin(publicApp),
        closeWithin(adminApp),
        doorApp && closeWithin(doorApp),
        registration.stop(),
      ]);
      await publishing.stop();
      await Promise.all([events.close(), pix.close()]);
      await db.destroy();
    },
  };
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

/** Answers what is in flight; a request that never arrives whole holds it up no longer than it may take. */
async function closeWithin(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), closingMs);
  await app.close();
  clearTimeout(cut);
}
