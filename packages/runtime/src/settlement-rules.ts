type RuleSettings = { PUBLIC_URL: string; REFUND_RETRY_SECONDS: string; CHARGE_GRACE_SECONDS: number };

/** @returns the rules by which either service settles payments, as they are configured */
export function settlementRules(settings: RuleSettings) {
  return {
    publicUrl: settings.PUBLIC_URL.replace(/\/+$/, ''),
    refundRetrySeconds: settings.REFUND_RETRY_SECONDS.split(',').map(Number),
    chargeGraceSeconds: settings.CHARGE_GRACE_SECONDS,
  };
}
