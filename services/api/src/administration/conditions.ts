import { errorAnswersOf } from '../http/answers.ts';
import { type Condition, type Conditions, field, refusals, rules } from '../http/errors/api-error.ts';
import { type ErrorName, list } from '../http/errors/errors.ts';

/** The error conditions of the admin API's operations. */

export const refused = (message: string, when: string): Condition => ({ status: 409, message, when });

const ofKey: Conditions = {
  adminKeyInvalid: list.adminKeyInvalid,
  roleMayNot: list.roleMayNot,
  tooManyWrongKeys: { ...list.tooManyRequests, when: 'This address sent too many wrong keys.' },
};

/** Conditions of what may take long. */
export const ofLongRead: Conditions = {
  tooMuchAtOnce: {
    ...list.tooManyRequests,
    when: 'Too many searches, sums, exports or comparisons wait or run: of this key, or of all together.',
  },
  readTookTooLong: list.readTookTooLong,
};

/** The condition of what changes many rows. */
export const ofManyChanges: Conditions = {
  tooManyOrders: {
    ...list.tooManyRequests,
    code: 'tooManyRequests',
    when: 'Too many such orders wait: of this key, or of all together.',
  },
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
  bank: { bankNotFound: { ...list.bankNotFound, when: 'The bank was never configured.' } },
  store: { storeNotFound: { ...list.storeNotFound, when: 'The store does not exist.' } },
  token: { tokenNotFound: { ...list.tokenNotFound, when: 'The store has no such token.' } },
  payment: { paymentNotFound: { ...list.paymentNotFound, when: 'The payment does not exist.' } },
  account: { accountNotFound: list.accountNotFound },
  key: { keyNotFound: { ...list.keyNotFound, when: 'There is no such key.' } },
  refund: { refundNotFound: { ...list.refundNotFound, when: 'The payment has no such refund.' } },
  delivery: { deliveryNotFound: { ...list.deliveryNotFound, when: 'The delivery does not exist.' } },
  unmatchedPix: {
    unmatchedPixNotFound: { ...list.unmatchedPixNotFound, when: 'No unmatched Pix has this endToEndId.' },
  },
  endpoint: { endpointNotFound: { ...list.endpointNotFound, when: 'No failing receiver has this id.' } },
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
  windowOver: refused(refusals.windowOver, 'The Pix was paid more than 90 days ago.'),
};
