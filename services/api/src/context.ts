import type { Database } from '@payments/database/connection';
import type { HttpMetrics } from '@payments/metrics/http';
import type { Registry } from '@payments/metrics/registry';
import type { SecretBox } from '@payments/runtime/secret-box';
import type { SettlementContext } from '@payments/settlement/context';
import type { WebhookUrlRules } from '@payments/webhooks/webhook-url';
import type { LongReads } from './http/long-reads.ts';
import type { TrustedProxies } from './http/trusted-proxies.ts';
import type { FactorKeys } from './people/second-factor/sealed-secret.ts';
import type { signInTurns } from './people/sign-in/known-place.ts';
import type { SingleSignOn } from './people/single-sign-on/settings.ts';

/** The dependencies of the routes. */
export type ApiContext = SettlementContext & {
  /** The connections that panel, administration and sign-ins share; sales have the rest (Design: Bounds). */
  asideDb: Database;
  /** Those of payers' pages and QR images, for which nobody else's pages must be waited. */
  payersDb: Database;
  /** Searches, sums, exports and comparisons, each in its turn. */
  longReads: LongReads;
  /** Tries to sign in, each in the turn of its address. */
  signInTurns: ReturnType<typeof signInTurns>;
  isNatsConnected: () => boolean;
  /** False once the process has been told to stop. */
  isAccepting: () => boolean;
  /** The metrics of `/metrics`. */
  register: Registry;
  httpMetrics: HttpMetrics;
  adminKey: string;
  /** The same; two while it is changed. */
  adminKeys: readonly string[];
  /** The keys of second factors. */
  sealingKeys: FactorKeys;
  /** The panel's address in browsers. */
  adminUrl: string;
  /** Whose accounts need a second factor at the panel. */
  requireSecondFactor: 'none' | 'platform' | 'all';
  /** How long a proof of who a person is counts at the panel. */
  proofMs: number;
  /** How long a session of the panel lasts without use. */
  sessionIdleMs: number;
  /** A company's single sign-on for the panel. */
  singleSignOn: SingleSignOn | undefined;
  chargeExpiresInSeconds: number;
  rateLimitPerMinute: number;
  trustProxy: TrustedProxies;
  /** How long idle connections stay open. */
  keepAliveSeconds: number;
  /** Limit of new QR images per address and minute. */
  qrImagesPerMinute: number;
  /** Limit of payers' pages per address and minute. */
  payerPagesPerMinute: number;
  /** How long a payment may stay in review (Contract: review). The dispatcher enforces it; the API shows it. */
  reviewTimeoutSeconds: number;
  /** File with the token that the docs page offers; undefined offers none. */
  docsTokenFile: string | undefined;
  /** Seals webhook secrets. */
  secrets: SecretBox;
  /** The simulated bank that the guide names; undefined names none. */
  docsSimulatorUrl: string | undefined;
  webhooks: WebhookUrlRules;
};

/** @returns the same dependencies for what sales must not wait for: panel, administration, sign-in */
export function aside(context: ApiContext): ApiContext {
  return { ...context, db: context.asideDb };
}

/** @returns the same dependencies for payers' pages and QR images */
export function forPayers(context: ApiContext): ApiContext {
  return { ...context, db: context.payersDb };
}
