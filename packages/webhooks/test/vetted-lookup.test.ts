import type { LookupAddress } from 'node:dns';
import t from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';
import type { NameLookup } from '../src/name-lookup.ts';
import { vettedLookup } from '../src/vetted-connector.ts';

const policy = createAddressPolicy([]);

const knows =
  (...addresses: LookupAddress[]): NameLookup =>
  async () =>
    addresses;

const ask = (lookup: NameLookup) =>
  new Promise((resolve) =>
    vettedLookup(policy, lookup)('store.example', { all: true }, (...args) => resolve(args)),
  );

const good = { address: '8.8.8.8', family: 4 };
const good6 = { address: '2606:4700::1111', family: 6 };
const bad = { address: '10.0.0.1', family: 4 };

t.test('allowed addresses are all returned', async (t) => {
  t.same(await ask(knows(good, good6)), [null, [good, good6]]);
});

t.test('one forbidden address makes the name fail', async (t) => {
  const refused = [{ name: 'SendFailure', stage: 'address', code: 'not_allowed' }];
  for (const addresses of [[bad], [good, bad], [bad, good], [good, good6, bad]])
    t.match(await ask(knows(...addresses)), refused);
});

t.test('a name without an address, and errors, are DNS failures', async (t) => {
  t.match(await ask(knows()), [{ stage: 'dns', code: 'name_without_address' }]);
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND secret.internal'), { code: 'ENOTFOUND' });
  const fails = () => Promise.reject(error);
  t.match(await ask(fails), [{ stage: 'dns', code: 'name_not_found' }]);
});
