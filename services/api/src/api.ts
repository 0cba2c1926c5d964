import { shareOf } from '@payments/database/connection';
import { sharedPing } from '@payments/database/health';
import { httpMetrics } from '@payments/metrics/http';
import { startFoundation } from '@payments/startup/foundation';
import { acceptWaiting, listen, listenForMetrics } from '@payments/startup/listen';
import type { StartOptions } from '@payments/startup/run';
import { webhookPolicy } from '@payments/webhooks/settings';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildAdminApp } from './administration/app.ts';
import { buildPanelApp } from './administration/panel.ts';
import { takenRows } from './administration/record/taken-rows.ts';
import type { ApiContext } from './context.ts';
import { deedTurns, longReads, refundTurns, saleTurns, storeTurns } from './http/long-reads.ts';
import { storedFactors } from './people/second-factor/actions.ts';
import { signInTurns } from './people/sign-in/known-place.ts';
import { singleSignOnOf } from './people/single-sign-on/client.ts';
import { buildPublicApp } from './public/app.ts';
import { buildDoor, doorOf } from './public/pix-callback/api.ts';
import { registerCallbacks } from './public/pix-callback/registration.ts';
import {
  type ApiSettings,
  assertLongKeys,
  assertReadable,
  sealingKeysOf,
  trustedProxies,
} from './settings.ts';

export type Api = {
  port: number;
  adminPort: number;
  /** Where the panel is: the admin port, or one of its own. */
  panelPort: number;
  /** Where the metrics are: the admin port, or one of their own. */
  metricsPort: number;
  /** Where the bank's callback comes: the public port, or one of its own. */
  callbackPort: number;
  /** Answers what is in flight, then closes every connection. */
  close(): Promise<void>;
};

const closingMs = 10_000;
// A customer waits at the checkout meanwhile. A charge that the PSP misses is registered later.
const pixTimeoutMs = 3_000;

/**
 * Starts both listeners. Waits for the database, but not for NATS or the PSP.
 * @throws ConfigurationError; SchemaOutdated if a migration is missing; EADDRINUSE
 */
export async function startApi(settings: ApiSettings, log: Logger, options: StartOptions = {}): Promise<Api> {
  const door = doorOf(settings);
  const webhooks = webhookPolicy(
    settings.WEBHOOK_ALLOW_PRIVATE,
    settings.WEBHOOK_DENY,
    settings.WEBHOOK_ALLOW_HTTP,
  );
  const trustProxy = trustedProxies(settings.TRUST_PROXY);
  const singleSignOn = singleSignOnOf(settings);
  assertLongKeys(settings);
  await assertReadable('DOCS_TOKEN_FILE', settings.DOCS_TOKEN_FILE);
  const sealingKeys = sealingKeysOf(settings);
  const foundation = await startFoundation(settings, {
    ...options,
    name: 'api',
    log,
    pixTimeoutMs: options.pixTimeoutMs ?? pixTimeoutMs,
    storedSecrets: (db) => [storedFactors(db, sealingKeys)],
  });
  const { events, metrics } = foundation;
  const { db } = foundation.context;
  const shares = sharesOf(settings.DATABASE_POOL_SIZE);
  const asideDb = shareOf(db, shares.aside);
  let accepting = true;
  const context: ApiContext = {
    ...foundation.context,
    asideDb,
    payersDb: shares.payers > 0 ? shareOf(db, shares.payers) : asideDb,
    // A connection is left for a page of an export, and one for all other pages.
    longReads: longReads(asideDb, { running: Math.max(1, shares.aside - 2) }),
    takenRows: takenRows(),
    storeTurns: storeTurns(shares.reads),
    saleTurns: saleTurns(),
    deedTurns: deedTurns(),
    refundTurns: refundTurns(),
    signInTurns: signInTurns(),
    ping: sharedPing(db),
    isNatsConnected: events.isConnected,
    isAccepting: () => accepting,
    loadClock: options.loadClock ?? (() => performance.now()),
    register: metrics.register,
    httpMetrics: httpMetrics(metrics.register),
    adminKey: settings.ADMIN_KEY,
    sealingKeys,
    adminKeys: [settings.ADMIN_KEY, ...(settings.ADMIN_KEY_PREVIOUS ? [settings.ADMIN_KEY_PREVIOUS] : [])],
    adminUrl: settings.ADMIN_URL ?? settings.PUBLIC_URL,
    singleSignOn,
    requireSecondFactor: settings.REQUIRE_SECOND_FACTOR as ApiContext['requireSecondFactor'],
    proofMs: settings.PROOF_SECONDS * 1_000,
    sessionIdleMs: settings.SESSION_IDLE_SECONDS * 1_000,
    chargeExpiresInSeconds: settings.CHARGE_EXPIRES_IN_SECONDS,
    reviewTimeoutSeconds: settings.REVIEW_TIMEOUT_SECONDS,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    trustProxy,
    keepAliveSeconds: settings.KEEP_ALIVE_SECONDS,
    qrImagesPerMinute: settings.QR_IMAGES_PER_MINUTE,
    payerPagesPerMinute: settings.PAYER_PAGES_PER_MINUTE,
    docsTokenFile: settings.DOCS_TOKEN_FILE,
    docsSimulatorUrl: settings.DOCS_SIMULATOR_URL,
    securityContact: settings.SECURITY_CONTACT,
    webhooks,
  };
  const publicApp = await buildPublicApp(context, log, { callback: door === undefined });
  const { PANEL_PORT, METRICS_PORT, HOST: host } = settings;
  const adminApp = await buildAdminApp(context, log, {
    panel: PANEL_PORT === undefined,
    metrics: METRICS_PORT === undefined,
  });
  const panelApp = PANEL_PORT === undefined ? undefined : await buildPanelApp(context, log);
  const doorApp = door && (await buildDoor(door, context, log));
  const port = await listen(publicApp, { port: settings.PORT, host: settings.HOST });
  const adminPort = await listen(adminApp, { port: settings.ADMIN_PORT, host });
  const panelPort = panelApp && (await listen(panelApp, { port: PANEL_PORT ?? 0, host }));
  const metricsListener = await listenForMetrics(metrics.register, settings);
  const callbackPort = doorApp && (await listen(doorApp, { port: door.port, host: settings.HOST }));
  const registration = registerCallbacks(foundation.context.banks, context, log);

  return {
    port,
    adminPort,
    panelPort: panelPort ?? adminPort,
    metricsPort: metricsListener?.port ?? adminPort,
    callbackPort: callbackPort ?? port,
    close: async () => {
      accepting = false;
      log.info(
        { forMs: settings.SHUTDOWN_DELAY_MS },
        'not ready any more; serving on while balancers turn away',
      );
      await new Promise((resolve) => setTimeout(resolve, settings.SHUTDOWN_DELAY_MS));
      const apps = [publicApp, adminApp, panelApp, doorApp].filter((app) => app !== undefined);
      await Promise.all([...apps.map(closeWithin), registration.stop(), metricsListener?.close()]);
      await foundation.close();
    },
  };
}

/** @returns how many of a process's connections may be in use at once for what is no sale. Without its own, payers share */
function sharesOf(poolSize: number): { aside: number; payers: number; reads: number } {
  const fifth = Math.floor(poolSize * 0.2);
  return { aside: Math.ceil(poolSize * 0.4), payers: fifth, reads: Math.max(1, fifth) };
}

/** Finishes the requests that have arrived. A request that never arrives in full waits only for its time-out. */
async function closeWithin(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), closingMs);
  await acceptWaiting(app.server);
  await app.close();
  clearTimeout(cut);
}
