import { secondsListSetting, secondsSetting } from '@payments/runtime/settings';
import { type Static, type TObject, Type } from '@sinclair/typebox';

/** When the service closes charges, retries refunds and times out reviews. */
export const settlementSettings = {
  CHARGE_GRACE_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 120,
    description:
      'Time between the expiry of an unpaid charge and its closing, for Pix that were paid in time and seen late',
  }),
  REFUND_RETRY_SECONDS: secondsListSetting(
    '60,600,3600,21600,86400',
    'Pauses before each new order of a refund that the bank refused, comma-separated. After the last, a person must act',
  ),
  REVIEW_TIMEOUT_SECONDS: secondsSetting(1_800, 'Time in review after which the service refunds the payment'),
};

type RuleSettings = Static<TObject<Omit<typeof settlementSettings, 'REVIEW_TIMEOUT_SECONDS'>>> & {
  PUBLIC_URL: string;
};

/** @returns the rules by which either service settles payments, as they are configured */
export function settlementRules(settings: RuleSettings) {
  return {
    publicUrl: settings.PUBLIC_URL.replace(/\/+$/, ''),
    refundRetrySeconds: settings.REFUND_RETRY_SECONDS.split(',').map(Number),
    chargeGraceSeconds: settings.CHARGE_GRACE_SECONDS,
  };
}
