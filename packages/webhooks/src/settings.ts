import { ConfigurationError } from '@payments/runtime/environment';
import { secondsListSetting } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';
import { type AddressPolicy, createAddressPolicy } from './addresses.ts';
import { DEFAULT_SCHEDULE } from './retry.ts';
import { DEFAULT_TIMEOUT_MS } from './sender.ts';

/** Which addresses webhooks may go to: asked at a payment's creation, and at every attempt. */
export const addressSettings = {
  WEBHOOK_ALLOW_PRIVATE: Type.String({
    default: '',
    description: 'Private addresses that webhooks may reach: CIDRs, comma-separated',
  }),
  WEBHOOK_DENY: Type.Optional(
    Type.String({
      description:
        'More addresses that webhooks must not reach: CIDRs, comma-separated. They override `WEBHOOK_ALLOW_PRIVATE`',
    }),
  ),
};

/** How webhooks are delivered. */
export const deliverySettings = {
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    minimum: 10,
    maximum: 300_000,
    default: DEFAULT_TIMEOUT_MS,
    description: 'Time-out of one webhook attempt, response body included',
  }),
  WEBHOOK_RETRY_SECONDS: secondsListSetting(
    DEFAULT_SCHEDULE.join(),
    'Pauses between the attempts of a delivery, comma-separated',
  ),
  WEBHOOK_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 256,
    description: 'Most concurrent webhook attempts, in each process',
  }),
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 64,
    description:
      'Most concurrent attempts to one healthy endpoint, in each process. An unproven endpoint gets two, a failing one gets one',
  }),
  RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 90,
    description: 'Days that finished deliveries and their attempts are kept',
  }),
};

/**
 * Reads `WEBHOOK_ALLOW_PRIVATE` and `WEBHOOK_DENY`.
 * @throws ConfigurationError that names the variable, for an entry that is not a CIDR
 */
export function webhookPolicy(
  allowList: string,
  denyList = '',
): { policy: AddressPolicy; allowPrivate: boolean } {
  const allowed = cidrsOf('WEBHOOK_ALLOW_PRIVATE', allowList);
  const denied = cidrsOf('WEBHOOK_DENY', denyList);
  return { policy: createAddressPolicy(allowed, denied), allowPrivate: allowed.length > 0 };
}

function cidrsOf(variable: string, list: string): string[] {
  const cidrs = list
    .split(',')
    .map((cidr) => cidr.trim())
    .filter(Boolean);
  try {
    createAddressPolicy(cidrs);
    return cidrs;
  } catch (error) {
    throw new ConfigurationError(`${variable}: ${(error as Error).message}`);
  }
}
