import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '@payments/database/connection';
import type { SecretBox } from '@payments/database/secret-box';
import type { HttpMetrics } from '@payments/metrics/http';
import type { Registry } from '@payments/metrics/registry';
import type { SettlementContext } from '@payments/settlement/context';
import type { WebhookUrlRules } from '@payments/webhooks/webhook-url';
import type { Logger } from 'pino';
import type { TakenRows } from './administration/record/taken-rows.ts';
import type { LongReads, RefundTurns, StoreTurns } from './http/long-reads.ts';
import type { TrustedProxies } from './http/server.ts';
import type { FactorKeys } from './people/second-factor/actions.ts';
import type { signInTurns } from './people/sign-in/known-place.ts';
import type { SingleSignOn } from './people/single-sign-on/client.ts';

/** Where an action says what it did, with the request's id. */
export type Log = Pick<Logger, 'info' | 'warn'>;

/** Every listener needs these. */
export type ListenerContext = {
  httpMetrics: HttpMetrics;
  trustProxy: TrustedProxies;
  /** How long idle connections stay open. */
  keepAliveSeconds: number;
  /** False once the process has been told to stop. */
  isAccepting: () => boolean;
};

/** The probes of a listener need these. */
export type HealthContext = Pick<ListenerContext, 'isAccepting'> & {
  /** Whether the database responds; all listeners share one statement. */
  ping: () => Promise<void>;
  isNatsConnected: () => boolean;
};

/** An order of a refund needs these, whoever it is that orders. */
export type RefundContext = SettlementContext & {
  /** Turns in which banks are asked at once for refunds that were just ordered. */
  refundTurns: RefundTurns;
};

/** The creation of a payment needs these, whoever asks for it. */
export type CreationContext = SettlementContext & {
  chargeExpiresInSeconds: number;
  webhooks: WebhookUrlRules;
  /** What is neither a sale nor the read of one payment, in the turn of its store. */
  storeTurns: StoreTurns;
};

/** The stores' interface and its documents need these. */
export type PublicContext = CreationContext &
  RefundContext & {
    /** Milliseconds of a monotonic clock by which overload lasts. */
    loadClock: () => number;
    /** Sales, some of each store at a time. */
    saleTurns: StoreTurns;
    /** Deeds of test stores, one of each store at a time. */
    deedTurns: StoreTurns;
    rateLimitPerMinute: number;
    /** File with the token that the docs page offers; undefined offers none. */
    docsTokenFile: string | undefined;
    /** The simulated bank that the guide names; undefined names none. */
    docsSimulatorUrl: string | undefined;
    /** Where a vulnerability is reported, a URI; undefined is support. */
    securityContact: string | undefined;
  };

/** The bank's callback needs these: its secret follows from the `ADMIN_KEY`s. */
export type CallbackContext = RefundContext & { adminKeys: readonly string[] };

/** Payers' pages and QR images need these. */
export type PayerContext = SettlementContext &
  Pick<ListenerContext, 'isAccepting' | 'httpMetrics'> &
  Pick<PublicContext, 'deedTurns'> & {
    /** Limit of new QR images per address and minute. */
    qrImagesPerMinute: number;
    /** Limit of payers' pages per address and minute. */
    payerPagesPerMinute: number;
  };

/** The administration needs these, both its API and its pages. */
export type AdministrationContext = CreationContext &
  RefundContext & {
    /** Searches, sums, lists, exports and comparisons, each in its turn. */
    longReads: LongReads;
    /** Counts the rows of lists that each actor takes. */
    takenRows: TakenRows;
    /** How long a payment may stay in review (Contract: review). The dispatcher enforces it; the API shows it. */
    reviewTimeoutSeconds: number;
    /** Seals webhook secrets. */
    secrets: SecretBox;
    isNatsConnected: () => boolean;
  };

/** Sign-ins need these: to know a person, and to keep what proves who it is. */
export type PeopleContext = Pick<SettlementContext, 'db' | 'now' | 'publicUrl'> & {
  adminKey: string;
  /** The same; two while it is changed. */
  adminKeys: readonly string[];
  rateLimitPerMinute: number;
  /** Seals the links of mails until they are sent. */
  secrets: SecretBox;
  /** Tries to sign in, each in the turn of its address. */
  signInTurns: ReturnType<typeof signInTurns>;
  /** The keys of second factors. */
  sealingKeys: FactorKeys;
  /** The panel's address in browsers. */
  adminUrl: string;
  /** The accounts that need a second factor at the panel. */
  requireSecondFactor: 'none' | 'platform' | 'all';
  /** How long a proof of who a person is counts at the panel. */
  proofMs: number;
  /** How long a session of the panel lasts without use. */
  sessionIdleMs: number;
  /** A company's single sign-on for the panel. */
  singleSignOn: SingleSignOn | undefined;
};

/** A feature of the administration: an encapsulated plugin, its requests typed by its schemas. */
export type AdministrationPlugin = FastifyPluginAsyncTypebox<{ context: AdministrationContext }>;

/** The same of people: their accounts, keys and sign-ins. */
export type PeoplePlugin = FastifyPluginAsyncTypebox<{ context: PeopleContext }>;

/** All that the listeners are built from. */
export type ApiContext = ListenerContext &
  HealthContext &
  PublicContext &
  PayerContext &
  AdministrationContext &
  PeopleContext & {
    /** The connections that panel, administration and sign-ins share; sales have the rest (Design: Bounds). */
    asideDb: Database;
    /** Those of payers' pages and QR images, for which nobody else's pages must be waited. */
    payersDb: Database;
    /** The metrics of `/metrics`. */
    register: Registry;
  };

/** @returns the same dependencies for what sales must not wait for: panel, administration, sign-in */
export function aside(context: ApiContext): ApiContext {
  return { ...context, db: context.asideDb };
}

/** @returns the same dependencies for payers' pages and QR images */
export function forPayers(context: ApiContext): ApiContext {
  return { ...context, db: context.payersDb };
}

/**
 * Folders of files that ship beside the code. Their paths are relative to this file, which is as deep in `src/` as
 * the built program is in `dist/`. Code in subfolders must take the paths from here.
 */
export const docsFolder = new URL('../docs/', import.meta.url);
export const earlierDocumentFile = new URL('../openapi-3.0.json', import.meta.url);
export const postmanFile = new URL('../postman.json', import.meta.url);
/** Assets of the panel and the payer’s page. */
export const pageAssets = new URL('../assets/', import.meta.url);
