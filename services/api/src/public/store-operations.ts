import { Type } from '@sinclair/typebox';

/** The parts of the documents that every operation with a store's token has. */
export const storeOperation = { 'x-limited': true, security: [{ bearer: [] }] };

/** The errors that every request with a store's token can get. */
export const ofStoreRequest = [
  'tokenMissing',
  'tokenInvalid',
  'tokenSuperseded',
  'storeInactive',
  'tooManyRequests',
  'unavailable',
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
