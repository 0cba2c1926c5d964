import t from 'tap';
import { settlementRules } from '../src/settings.ts';

t.test('the rules follow from the settings', async (t) => {
  t.strictSame(
    settlementRules({
      PUBLIC_URL: 'https://pay.example.com/',
      REFUND_RETRY_SECONDS: '60,600,3600',
      CHARGE_GRACE_SECONDS: 90,
      RECOVER_PAYMENTS: true,
    }),
    {
      publicUrl: 'https://pay.example.com',
      refundRetrySeconds: [60, 600, 3_600],
      chargeGraceSeconds: 90,
      recoversPayments: true,
    },
  );
});
