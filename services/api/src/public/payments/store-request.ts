import { Type } from '@sinclair/typebox';

/** What all requests of stores have in common, for the documents. */

export const ofStoreRequest = [
  'tokenMissing',
  'tokenInvalid',
  'tokenSuperseded',
  'storeInactive',
  'tooManyRequests',
  'unavailable',
] as const;

export const ofReference = [
  'referenceNotAString',
  'referenceEmpty',
  'referenceTooLong',
  'referenceNullCharacter',
] as const;

/** The errors of a creation, in the order of validation. */
export const ofCreation = [
  'amountNotANumber',
  'amountTooLow',
  'amountTooHigh',
  'emailInvalid',
  'observationNotAString',
  'observationTooLong',
  'observationNullCharacter',
  'webhookUrlInvalid',
  ...ofReference,
  'expiresInNotAnInteger',
  'expiresInTooLow',
  'expiresInTooHigh',
  'idempotencyKeyEmpty',
  'idempotencyKeyTooLong',
  'idempotencyKeyReused',
  'referenceTaken',
] as const;

export const requestIdHeader = {
  'X-Request-Id': Type.Optional(
    Type.String({
      pattern: '^[\\w.:-]{1,128}$',
      description:
        'Your own id for the request, for the logs. The service replaces a value that does not match the pattern.',
      examples: ['checkout-1042'],
    }),
  ),
};
