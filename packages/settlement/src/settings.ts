import { withoutEndSlashes } from '@payments/runtime/addresses';
import { secondsListSetting, secondsSetting } from '@payments/runtime/settings';
import { type Static, type TObject, Type } from '@sinclair/typebox';

/** The time limits of charges, refunds and reviews, and what a restore needs. */
export const settlementSettings = {
  CHARGE_GRACE_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 120,
    description:
      'Time from the expiry of an unpaid charge to its closing: a Pix that was paid in time may be seen late',
  }),
  REFUND_RETRY_SECONDS: secondsListSetting(
    '60,600,3600,21600,86400',
    'Pauses before the service orders a refused refund again, comma-separated; then a person must act',
  ),
  RECOVER_PAYMENTS: Type.Boolean({
    default: false,
    description:
      'After a restore of the database: creates lost payments anew from their paid charges. Otherwise such a Pix is ' +
      'shown as one without a payment',
  }),
  REVIEW_TIMEOUT_SECONDS: secondsSetting(
    1_800,
    'How long a payment may stay in review before it is refunded',
  ),
};

type RuleSettings = Static<TObject<Omit<typeof settlementSettings, 'REVIEW_TIMEOUT_SECONDS'>>> & {
  PUBLIC_URL: string;
};

/** @returns the configured rules of settlement, for either service */
export function settlementRules(settings: RuleSettings) {
  return {
    publicUrl: withoutEndSlashes(settings.PUBLIC_URL),
    refundRetrySeconds: settings.REFUND_RETRY_SECONDS.split(',').map(Number),
    chargeGraceSeconds: settings.CHARGE_GRACE_SECONDS,
    recoversPayments: settings.RECOVER_PAYMENTS,
  };
}
