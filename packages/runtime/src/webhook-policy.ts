import { type AddressPolicy, createAddressPolicy } from '@payments/webhooks/addresses';
import { ConfigurationError } from './environment.ts';

/**
 * Reads `WEBHOOK_ALLOW_PRIVATE`.
 * @throws ConfigurationError that names the variable, for an entry that is not a CIDR
 */
export function webhookPolicy(allowList: string): { policy: AddressPolicy; allowPrivate: boolean } {
  const cidrs = allowList
    .split(',')
    .map((cidr) => cidr.trim())
    .filter(Boolean);
  try {
    return { policy: createAddressPolicy(cidrs), allowPrivate: cidrs.length > 0 };
  } catch (error) {
    throw new ConfigurationError(`WEBHOOK_ALLOW_PRIVATE: ${(error as Error).message}`);
  }
}
