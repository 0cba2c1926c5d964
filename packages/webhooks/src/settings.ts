import { ConfigurationError } from '@payments/runtime/environment';
import { secondsListSetting } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';
import { createAddressPolicy } from './addresses.ts';
import { DEFAULT_SCHEDULE } from './retry.ts';
import type { WebhookUrlRules } from './webhook-url.ts';

/** The addresses to which webhooks may go, checked at a payment's creation and at every attempt. */
export const addressSettings = {
  WEBHOOK_ALLOW_PRIVATE: Type.String({
    default: '',
    description: 'Private addresses that webhooks may go to: CIDRs, comma-separated',
  }),
  WEBHOOK_DENY: Type.Optional(
    Type.String({
      description:
        'Addresses that webhooks may not go to, even if public or in `WEBHOOK_ALLOW_PRIVATE`: CIDRs, comma-separated',
    }),
  ),
  WEBHOOK_ALLOW_HTTP: Type.String({
    pattern: '^(true|false)$',
    default: 'true',
    description:
      '`false` accepts and sends webhooks by https alone: over plain http, others can read the e-mail and observation',
  }),
};

/** The settings of deliveries. */
export const deliverySettings = {
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    minimum: 10,
    maximum: 300_000,
    default: 15_000,
    description: 'Time for one webhook attempt, up to the end of the response’s body',
  }),
  WEBHOOK_RETRY_SECONDS: secondsListSetting(
    DEFAULT_SCHEDULE.join(),
    'Pauses between the attempts of a delivery, comma-separated',
  ),
  WEBHOOK_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 512,
    description: 'Webhook attempts under way at most, per process; one store gets at most two thirds',
  }),
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 128,
    description: 'The same, to one endpoint whose last attempt succeeded; others get one or two',
  }),
  RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 90,
    description: 'How long finished deliveries and their attempts are kept',
  }),
};

/**
 * Reads `WEBHOOK_ALLOW_PRIVATE`, `WEBHOOK_DENY` and `WEBHOOK_ALLOW_HTTP`.
 * @throws ConfigurationError with the variable's name, for an entry that is not a CIDR
 */
export function webhookPolicy(allowList: string, denyList = '', allowHttp = 'true'): WebhookUrlRules {
  const allowed = cidrsOf('WEBHOOK_ALLOW_PRIVATE', allowList);
  const denied = cidrsOf('WEBHOOK_DENY', denyList);
  return {
    policy: createAddressPolicy(allowed, denied),
    allowPrivate: allowed.length > 0,
    allowHttp: allowHttp === 'true',
  };
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
