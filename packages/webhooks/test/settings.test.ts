import t from 'tap';
import { webhookPolicy } from '../src/settings.ts';

t.test('WEBHOOK_ALLOW_PRIVATE: CIDRs, comma-separated', async (t) => {
  t.equal(webhookPolicy('').allowPrivate, false);
  t.equal(webhookPolicy(' , ').allowPrivate, false);
  const { policy, allowPrivate } = webhookPolicy('127.0.0.0/8, ::1/128');
  t.equal(allowPrivate, true);
  t.equal(policy.allowsHostname('127.0.0.1'), true);
  t.equal(policy.allowsHostname('10.0.0.1'), false);
  for (const wrong of ['localhost', '10.0.0.0/33', '10.0.0.0/8;::1/128'])
    t.throws(() => webhookPolicy(wrong), { name: 'ConfigurationError', message: /^WEBHOOK_ALLOW_PRIVATE: / });
});

t.test('WEBHOOK_DENY: CIDRs that override the allowed ones', async (t) => {
  const { policy, allowPrivate } = webhookPolicy('10.0.0.0/8', '10.1.0.0/16, 2001:db9::/32');
  t.equal(allowPrivate, true);
  t.strictSame(
    ['10.0.0.1', '10.1.0.1', '2001:db9::1', '2a00::1'].map((ip) => policy.allows(ip)),
    [true, false, false, true],
  );
  for (const wrong of ['example.com', '2001:db9::/129', '10.1.0.0'])
    t.throws(() => webhookPolicy('', wrong), { name: 'ConfigurationError', message: /^WEBHOOK_DENY: / });
});
