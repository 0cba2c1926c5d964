import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import t from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';
import { vettedLookup } from '../src/vetted-lookup.ts';

const policy = createAddressPolicy([]);

/** Like `dns.lookup`: returns the first address unless asked for all. */
const knows =
  (...addresses: LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) =>
    options.all
      ? callback(null, addresses)
      : callback(null, addresses[0]?.address ?? '', addresses[0]?.family);

const ask = (lookup: LookupFunction, options: { all?: boolean }) =>
  new Promise((resolve) =>
    vettedLookup(policy, lookup)('store.example', options, (...args) => resolve(args)),
  );

const good = { address: '8.8.8.8', family: 4 };
const good6 = { address: '2606:4700::1111', family: 6 };
const bad = { address: '10.0.0.1', family: 4 };

t.test('allowed addresses are returned in the requested form', async (t) => {
  t.same(await ask(knows(good, good6), { all: true }), [null, [good, good6]]);
  t.same(await ask(knows(good, good6), {}), [null, '8.8.8.8', 4]);
});

t.test('one forbidden address makes the name fail, also if only one was requested', async (t) => {
  const refused = [{ name: 'SendFailure', stage: 'address', message: 'not allowed' }];
  for (const addresses of [[bad], [good, bad], [bad, good], [good, good6, bad]]) {
    t.match(await ask(knows(...addresses), { all: true }), refused);
    t.match(await ask(knows(...addresses), {}), refused);
  }
});

t.test('a name without an address, and errors, are DNS failures', async (t) => {
  t.match(await ask(knows(), { all: true }), [{ stage: 'dns', message: 'name has no address' }]);
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND secret.internal'), { code: 'ENOTFOUND' });
  const fails: LookupFunction = (_hostname, _options, callback) => callback(error, []);
  t.match(await ask(fails, { all: true }), [{ stage: 'dns', message: 'name not found' }]);
});
