import { Type } from '@sinclair/typebox';

/** The errors of every request with a store's token. */
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

/** Every operation of a store is limited, and needs its token. */
export const everyOperation = { 'x-limited': true, security: [{ bearer: [] }] };
