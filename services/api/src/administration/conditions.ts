import { RefundRefused } from '@payments/settlement/refunds/order-refund';
import type { Refusal } from '@payments/settlement/refusals';
import { errorAnswersOf } from '../http/answers.ts';
import { type Conditions, field, rules } from '../http/errors/api-error.ts';
import { conditionOf, type ErrorName, refusalOf } from '../http/errors/errors.ts';

/** The error conditions of the admin API's operations. */

/** @returns the condition of a refund that a rule refuses */
export const refusedRefund = (refusal: Refusal, when: string) => refusalOf(new RefundRefused(refusal), when);

const ofKey: Conditions = {
  adminKeyInvalid: conditionOf('adminKeyInvalid'),
  roleMayNot: conditionOf('roleMayNot'),
  tooManyWrongKeys: conditionOf('tooManyRequests', 'This address sent too many wrong keys.'),
};

/** Conditions of what may take long. */
export const ofLongRead: Conditions = {
  tooMuchAtOnce: conditionOf(
    'tooManyRequests',
    'Too many searches, sums, exports or comparisons wait or run: of this key, or of all together.',
  ),
  readTookTooLong: conditionOf('readTookTooLong'),
};

/** The condition of what changes many rows. */
export const ofManyChanges: Conditions = {
  tooManyOrders: conditionOf(
    'tooManyRequests',
    'Too many such orders wait: of this key, or of all together.',
  ),
};

/** @returns an operation's errors, with those that each has: of the key, its role and the database */
export function adminAnswersOf(...errors: readonly (ErrorName | Conditions)[]) {
  return errorAnswersOf('tokenMissing', 'unavailable', ofKey, ...errors);
}

export const ofReason: Conditions = {
  reasonNotAString: field('reason', rules.string, '`reason` is not a string.'),
  reasonTooLong: field('reason', rules.shortEnough(2_000), '`reason` is longer than 2000 characters.'),
  reasonNullCharacter: field('reason', rules.noNull, '`reason` contains U+0000.'),
};

export const ofKind: Conditions = {
  testFilterInvalid: field('test', rules.boolean, '`test` is neither `true` nor `false`.'),
};

export const ofStoreId: Conditions = {
  storeIdInvalid: field('storeId', rules.uuid, '`storeId` is no UUID.'),
};

export const ofStoreFilter: Conditions = { ...ofStoreId, ...ofKind };

export const notFound = {
  bank: { bankNotFound: conditionOf('bankNotFound') },
  store: { storeNotFound: conditionOf('storeNotFound') },
  token: { tokenNotFound: conditionOf('tokenNotFound') },
  payment: { paymentNotFound: conditionOf('paymentNotFound', 'The payment does not exist.') },
  account: { accountNotFound: conditionOf('accountNotFound') },
  key: { keyNotFound: conditionOf('keyNotFound') },
  refund: { refundNotFound: conditionOf('refundNotFound') },
  delivery: { deliveryNotFound: conditionOf('deliveryNotFound') },
  unmatchedPix: { unmatchedPixNotFound: conditionOf('unmatchedPixNotFound') },
  endpoint: { endpointNotFound: conditionOf('endpointNotFound') },
} satisfies Record<string, Conditions>;

export const ofExport: Conditions = {
  csvFormUnknown: field('for', rules.oneOf(['excel']), '`for` is no known form of CSV.'),
  ...ofLongRead,
};

export const ofExpiry: Conditions = {
  expiresAtInvalid: field('expiresAt', rules.dateTime, '`expiresAt` is no date-time with an offset.'),
  expiresAtPast: field('expiresAt', rules.inFuture, '`expiresAt` is not in the future.'),
};

export const ofRefundWindow: Conditions = {
  windowOver: refusedRefund({ code: 'windowOver' }, 'The Pix was paid more than 90 days ago.'),
};
