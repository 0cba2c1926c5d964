import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './addresses.ts';
import { SendFailure } from './send-failure.ts';

/**
 * A lookup for `net.connect` that returns addresses only if the policy allows all of the name's. With one forbidden
 * address among them, chance would decide which one is connected to. Errors are `SendFailure`s.
 */
export function vettedLookup(policy: AddressPolicy, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(SendFailure.from(error, 'dns'), []);
      const addresses = found as LookupAddress[];
      const [first] = addresses;
      if (first === undefined) return callback(new SendFailure('dns', 'name has no address'), []);
      if (!addresses.every(({ address }) => policy.allows(address))) {
        return callback(SendFailure.notAllowed(), []);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
