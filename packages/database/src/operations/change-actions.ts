/** What is recorded. */
export const changeActions = [
  'store.created',
  'store.changed',
  'token.created',
  'token.deactivated',
  'webhook_secret.shown',
  'webhook_secret.rotated',
  'payment.created',
  'payment.status_changed',
  'refund.ordered',
  'refund.ordered_anew',
  'refund.withdrawn',
  'delivery.redelivered',
  'deliveries.redelivered',
  'endpoint.released',
  'bank.paused',
  'bank.resumed',
  'key.created',
  'key.deleted',
  'export.made',
  'search.by_email',
  'person.erased',
  'account.created',
  'account.changed',
  'account.invited',
  'account.password_set',
  'account.second_factor_on',
  'account.second_factor_off',
  'account.recovery_code_used',
  'account.passkey_added',
  'account.passkey_removed',
  'account.sessions_ended',
  'sign_in',
  'sign_in_refused',
  'sign_out',
  'admin_key.used',
  'operation.refused',
] as const;

export type ChangeAction = (typeof changeActions)[number];

/** Fields before or after a change; amounts in centavos. No secrets. */
export type ChangedValues = Record<string, string | number | boolean | readonly string[] | null>;
