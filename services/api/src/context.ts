import type { HttpMetrics } from '@payments/metrics/http';
import type { Registry } from '@payments/metrics/registry';
import type { SettlementContext } from '@payments/settlement/context';
import type { AddressPolicy } from '@payments/webhooks/addresses';
import type { TrustedProxies } from './trusted-proxies.ts';

/** What the routes work with. */
export type ApiContext = SettlementContext & {
  isNatsConnected: () => boolean;
  /** False once the process has been told to stop. */
  isAccepting: () => boolean;
  /** What `/metrics` shows. */
  register: Registry;
  httpMetrics: HttpMetrics;
  adminKey: string;
  /** Where people open the panel. */
  adminUrl: string;
  chargeExpiresInSeconds: number;
  rateLimitPerMinute: number;
  trustProxy: TrustedProxies;
  /** How many images that are not drawn yet one address may ask for. */
  qrImagesPerMinute: number;
  /** How long a payment may stay in review (Contract: review); carried out by the dispatcher, told here. */
  reviewTimeoutSeconds: number;
  /** Holds the token that the docs page offers; undefined offers none. */
  docsTokenFile: string | undefined;
  /** The last part of the callback's path, which only the PSP is told. */
  callbackSecret: string;
  webhooks: { policy: AddressPolicy; allowPrivate: boolean };
};
