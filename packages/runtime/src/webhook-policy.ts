import { type AddressPolicy, createAddressPolicy } from '@payments/webhooks/addresses';
import { ConfigurationError } from './environment.ts';

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
