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

export const ofAnyRefundState: Conditions = {
  stateUnknown: field(
    'state',
    rules.oneOf(['requested', 'processing', 'refunded', 'failed']),
    '`state` is not a state of a refund.',
  ),
};

export const ofRefundState: Conditions = {
  stateUnknown: field(
    'state',
    rules.oneOf(['requested', 'processing', 'failed']),
    '`state` is not a state of an unfinished or failed refund.',
  ),
};

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

export const ofCsvForm: Conditions = {
  csvFormUnknown: field('for', rules.oneOf(['excel']), '`for` is no known form of CSV.'),
};

export const ofRefundAmount: Conditions = {
  amountNotANumber: field('amount', rules.number, '`amount` is not a number, or has more than two decimals.'),
};

export const ofRefundWindow: Conditions = {
  windowOver: refused(refusals.windowOver, 'The Pix was paid more than 90 days ago.'),
};

export const ofRefund: Conditions = {
  notRefundable: refused(
    refusals.notRefundable('review'),
    'Only approved and paid payments can be refunded this way.',
  ),
  ...ofRefundWindow,
  nothingToRefund: refused(
    refusals.nothingToRefund,
    'All of the payment has been refunded, or is being refunded.',
  ),
  refusedByTheBank: refused(
    refusals.refusedByBank,
    'The bank refused the refund of the rest. Retry that refund instead.',
  ),
  moreThanIsLeft: refused(refusals.moreThanIsLeft, '`amount` is more than what is left.'),
};

export const ofWithdrawal: Conditions = {
  refundOfThePayer: refused(
    refusals.ofPayer,
    'No administrator ordered the refund, or its payment is not approved or paid.',
  ),
};

/** A decision on a refused refund: a retry, or a withdrawal. */
export const ofRefusedRefund: Conditions = {
  refundOfTheBank: refused(refusals.ofBank, 'The bank started the refund itself.'),
  refundNotRefused: refused(refusals.notRefused, 'The bank did not refuse the refund.'),
  refundOrderedAlready: refused(
    refusals.orderedAlready,
    'An administrator or the service has already ordered the refund anew.',
  ),
  refundEnded: refused(
    refusals.ended,
    'The refund was withdrawn, or its amount fits what is left no more: order another one.',
  ),
  refundNotOwed: refused(refusals.notOwed('approved'), 'Nothing of the Pix is owed to the payer any more.'),
};

export const ofRefundRetry: Conditions = { ...ofRefusedRefund, ...ofRefundWindow };
