import type { ApiContext } from '@payments/api/context';
import { longReads } from '@payments/api/http/long-reads';
import { signInTurns } from '@payments/api/people/sign-in/known-place';
import { connect } from '@payments/database/connection';
import { secretBox } from '@payments/database/secret-box';
import { httpMetrics } from '@payments/metrics/http';
import { createRegistry } from '@payments/metrics/registry';
import { openBanks } from '@payments/pix/banks';
import { createLogger } from '@payments/runtime/logging';
import { webhookPolicy } from '@payments/webhooks/settings';

/** The facts that a listener's documents are made with: the address that they name, and the simulated bank, if they name one. */
export type DocumentsPlace = { publicUrl: string; simulatorUrl?: string | undefined };

type DocumentsContext = {
  context: ApiContext;
  log: ReturnType<typeof createLogger>;
  close(): Promise<void>;
};

/**
 * @returns what listeners are built from, to make documents of their routes without a database, a broker or a bank;
 * `close` it at the end
 */
export function documentsContext({ publicUrl, simulatorUrl }: DocumentsPlace): DocumentsContext {
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
    takenRows: () => undefined,
    banks: openBanks([]),
    log,
    now: () => new Date(),
    publicUrl,
    refundRetrySeconds: [],
    chargeGraceSeconds: 0,
    recoversPayments: false,
    ping: async () => undefined,
    isNatsConnected: () => false,
    isAccepting: () => true,
    loadClock: () => 0,
    storeTurns: (_storeId, work) => work(),
    saleTurns: (_storeId, work) => work(),
    deedTurns: (_storeId, work) => work(),
    refundTurns: (_storeId, work) => work(),
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
    docsSimulatorUrl: simulatorUrl,
    securityContact: undefined,
    webhooks: webhookPolicy(''),
  };
  return { context, log, close: () => db.destroy() };
}
