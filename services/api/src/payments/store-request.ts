import { Type } from '@sinclair/typebox';

/** What every request of a store has in common, for the documents. */

export const ofStoreRequest = [
  'tokenMissing',
  'tokenInvalid',
  'tokenSuperseded',
  'storeInactive',
  'tooManyRequests',
  'unavailable',
] as const;

/** What a creation can be refused for, in the order in which it is judged. */
export const ofCreation = [
  'amountNotANumber',
  'amountTooLow',
  'amountTooHigh',
  'emailInvalid',
  'observationNotAString',
  'observationTooLong',
  'observationNullCharacter',
  'webhookUrlInvalid',
  'idempotencyKeyTooLong',
  'idempotencyKeyReused',
] as const;

export const requestIdHeader = {
  'X-Request-Id': Type.Optional(
    Type.String({
      pattern: '^[\\w.:-]{1,128}$',
      description:
        'An id of your own, which follows the request through the logs. Any other value is replaced.',
      examples: ['checkout-1042'],
    }),
  ),
};
