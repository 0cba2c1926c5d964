import { connect } from '@payments/database/connection';
import { assertSchemaCurrent } from '@payments/database/migrate';
import { relayBatch } from '@payments/database/outbox';
import { connectEvents } from '@payments/events/connection';
import { startRelay } from '@payments/events/relay';
import { createPixClient } from '@payments/pix/client';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { pixOptions } from '@payments/runtime/pix-options';
import { closeOnSignals } from '@payments/runtime/shutdown';
import { waitForDatabase } from '@payments/runtime/wait-for-database';
import { webhookPolicy } from '@payments/runtime/webhook-policy';
import { buildAdminApp } from './admin-app.ts';
import type { ApiContext } from './context.ts';
import { callbackSecretOf, registerCallback } from './pix-callback/registration.ts';
import { callbackPath } from './pix-callback/route.ts';
import { buildPublicApp } from './public-app.ts';
import { apiSettings } from './settings.ts';

const graceMs = 30_000;
const relayIntervalMs = 1_000;

main(async () => {
  const settings = readEnvironment(apiSettings, process.env);
  const webhooks = webhookPolicy(settings.WEBHOOK_ALLOW_PRIVATE);
  const log = createLogger('api', settings.LOG_LEVEL);
  const db = connect(settings.DATABASE_URL, {
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'payments-api',
    onIdleError: (error) => log.warn({ err: error }, 'lost a database connection'),
  });
  await waitForDatabase(() => assertSchemaCurrent(db), log);
  const connection = connectEvents({
    url: settings.NATS_URL,
    stream: settings.NATS_STREAM,
    name: 'api',
    log,
  });
  connection.onReconnect(() => {
    connection
      .ensureTopology()
      .catch((error: unknown) => log.warn({ err: error }, 'the stream could not be made'));
  });
  const relay = startRelay({
    connection,
    relayBatch: (limit, publish) => relayBatch(db, limit, publish),
    intervalMs: relayIntervalMs,
    log,
  });
  const pix = createPixClient(pixOptions(settings));
  let accepting = true;
  const publicUrl = settings.PUBLIC_URL.replace(/\/+$/, '');
  const callbackSecret = callbackSecretOf(settings.PIX_CLIENT_SECRET);
  const context: ApiContext = {
    db,
    pix,
    log,
    now: () => new Date(),
    publicUrl,
    wakeRelay: relay.wake,
    isNatsConnected: connection.isConnected,
    isAccepting: () => accepting,
    adminKey: settings.ADMIN_KEY,
    chargeExpiresInSeconds: settings.CHARGE_EXPIRES_IN_SECONDS,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    callbackSecret,
    webhooks,
  };
  const publicApp = await buildPublicApp(context, log);
  const adminApp = await buildAdminApp(context, log);
  await publicApp.listen({ port: settings.PORT, host: settings.HOST });
  await adminApp.listen({ port: settings.ADMIN_PORT, host: settings.HOST });
  const registration = registerCallback(pix, `${publicUrl}${callbackPath(callbackSecret)}`, log);

  closeOnSignals(log, graceMs + settings.SHUTDOWN_DELAY_MS, async () => {
    accepting = false;
    await new Promise((resolve) => setTimeout(resolve, settings.SHUTDOWN_DELAY_MS));
    await Promise.all([publicApp.close(), adminApp.close(), registration.stop()]);
    // The last requests' events still go out, if NATS is there; if not, another relay sends them.
    await relay.stop();
    await connection.close();
    await pix.close();
    await db.destroy();
  });
});
