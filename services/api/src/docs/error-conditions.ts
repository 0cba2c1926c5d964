import { paymentStatuses } from '@payments/domain/status';
import type { ApiError } from '../errors/api-error.ts';
import { errors } from '../errors/errors.ts';

/** When an error is answered, as the documents say it. The message is the error's own. */
export type Condition = { when: string; error: ApiError };

const minAmount = 500;
const maxAmount = 300_000;
const field = errors.invalidField;
/** @returns a condition of an error */
export const condition = (when: string, error: ApiError): Condition => ({ when, error });

/** Every condition that the documents tell of, under the name of its example. */
export const conditions = {
  malformedRequest: condition(
    'Not a valid HTTP request, for example bad percent-encoding.',
    errors.malformedRequest(),
  ),
  requestTimeout: condition('The request did not arrive whole in 30 seconds.', errors.requestTimeout()),
  expectationFailed: condition(
    'The `Expect` header asks for something other than `100-continue`.',
    errors.expectationFailed(),
  ),
  headersTooLarge: condition(
    'The URL and the headers are longer than 16 KB together.',
    errors.headersTooLarge(),
  ),
  internal: condition('The service failed.', errors.internal()),
  unavailable: condition(
    'The service can’t reach its database, is overloaded, or is stopping.',
    errors.unavailable(),
  ),

  tokenMissing: condition(
    'The `Authorization` header is missing or empty, has another scheme, or no token.',
    errors.tokenMissing(),
  ),
  tokenInvalid: condition(
    'The token does not exist, is wrong, expired or deactivated.',
    errors.tokenInvalid(),
  ),
  tokenSuperseded: condition(
    'The store generated a newer token; only the newest works.',
    errors.tokenSuperseded(),
  ),
  storeInactive: condition('The token is valid, but the store is deactivated.', errors.storeInactive()),
  tooManyRequests: condition(
    'The store exceeded its rate limit, or this address sent too many unknown tokens.',
    errors.tooManyRequests(60),
  ),

  invalidJson: condition('The body is not valid JSON.', errors.invalidJson()),
  bodyTooLarge: condition('The body is larger than 1 MB.', errors.bodyTooLarge()),
  unsupportedMediaType: condition('`Content-Type` is not `application/json`.', errors.unsupportedMediaType()),
  amountNotANumber: condition(
    '`amount` is missing, is no number, or has more than two decimals.',
    field('amount must be a number conforming to the specified constraints'),
  ),
  amountTooLow: condition('`amount` is less than 5.', errors.amountTooLow(minAmount)),
  amountTooHigh: condition(
    '`amount` is more than 3000, or than the store’s own maximum, which the message then names.',
    errors.amountTooHigh(maxAmount),
  ),
  emailInvalid: condition('`email` is not a valid e-mail address.', field('email must be an email')),
  observationNotAString: condition('`observation` is not a string.', field('observation must be a string')),
  observationTooLong: condition(
    '`observation` is longer than 2048 characters.',
    field('observation must be shorter than or equal to 2048 characters'),
  ),
  observationNullCharacter: condition(
    '`observation` contains U+0000.',
    field('observation must not contain null characters'),
  ),
  webhookUrlInvalid: condition(
    '`webhookUrl` is not an http or https URL, has a user or password, or names an internal address.',
    field('webhookUrl must be a URL'),
  ),
  idempotencyKeyTooLong: condition(
    '`Idempotency-Key` is longer than 255 characters.',
    field('Idempotency-Key must be shorter than or equal to 255 characters'),
  ),
  idempotencyKeyReused: condition(
    'The `Idempotency-Key` was used for another body in the last 24 hours.',
    errors.idempotencyKeyReused(),
  ),

  paymentNotFound: condition(
    'The payment does not exist, or belongs to another store.',
    errors.paymentNotFound(),
  ),
  qrCodeNotFound: condition('There is no such payment, or it has no code yet.', errors.qrCodeNotFound()),
  pageNotAnInteger: condition('`page` is not an integer.', field('page must be an integer number')),
  pageTooLow: condition('`page` is less than 1.', field('page must not be less than 1')),
  limitNotAnInteger: condition('`limit` is not an integer.', field('limit must be an integer number')),
  limitTooLow: condition('`limit` is less than 1.', field('limit must not be less than 1')),
  limitTooHigh: condition('`limit` is more than 200.', field('limit must not be greater than 200')),
  statusUnknown: condition(
    '`status` is none of the payment statuses.',
    field(`status must be one of the following values: ${paymentStatuses.join(', ')}`),
  ),
  afterNotAnId: condition('`after` is not an id.', field('after must be a UUID')),
} satisfies Record<string, Condition>;

export type ConditionName = keyof typeof conditions;
