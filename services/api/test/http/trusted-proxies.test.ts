import t from 'tap';
import { trustedProxies } from '../../src/http/trusted-proxies.ts';

/** `TRUST_PROXY` is empty, addresses and CIDRs, or hops. Anything else stops the start. */
t.test('empty believes nobody', async (t) => {
  for (const text of ['', ' ', ' , ']) t.equal(trustedProxies(text), false);
});

t.test('addresses and CIDRs', async (t) => {
  t.strictSame(trustedProxies('10.0.0.0/8, 192.0.2.7,fd00::/8 , ::1'), [
    '10.0.0.0/8',
    '192.0.2.7',
    'fd00::/8',
    '::1',
  ]);
});

t.test('a number of hops: so many proxies, counted from here', async (t) => {
  const isBelieved = trustedProxies('2');
  if (typeof isBelieved !== 'function') return t.fail('is no function');
  t.strictSame(
    [0, 1, 2, 3].map((hop) => isBelieved('203.0.113.1', hop)),
    [true, true, false, false],
  );
});

for (const wrong of [
  'loopback',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '10.0.0/8',
  '::1/129',
  '-1',
  '1.5',
  '1,2',
  'true',
])
  t.test(`TRUST_PROXY=${wrong}: one line that names it`, async (t) => {
    t.throws(() => trustedProxies(wrong), { name: 'ConfigurationError', message: /^TRUST_PROXY: [^\n]+$/ });
  });
