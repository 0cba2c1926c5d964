import { paymentStatuses } from '@payments/domain/status';
import { type Condition, condition } from '../docs/error-conditions.ts';
import { errors } from '../errors/errors.ts';

/** When the administration's operations answer with an error, as their document says it: the message is exact. */

type Conditions = Record<string, Condition>;

const field = (when: string, message: string) => condition(when, errors.invalidField(message));
const number = 'must be a number conforming to the specified constraints';
const oneOf = (values: readonly string[]) => `must be one of the following values: ${values.join(', ')}`;

export const ofAdministrator = ['tokenMissing', 'unavailable'] as const;

/** Of every operation: the key is the administration's. */
export const ofKey: Conditions = {
  adminKeyInvalid: condition('The administration key is wrong.', errors.adminKeyInvalid()),
  tooManyWrongKeys: condition('This address sent too many wrong keys.', errors.tooManyRequests(60)),
};

export const ofPage = [
  'pageNotAnInteger',
  'pageTooLow',
  'limitNotAnInteger',
  'limitTooLow',
  'limitTooHigh',
] as const;

const ofBody: Conditions = {
  bodyNotAnObject: field('The body is not a JSON object.', 'body must be an object'),
};

export const ofReason: Conditions = {
  reasonNotAString: field('`reason` is not a string.', 'reason must be a string'),
  reasonTooLong: field(
    '`reason` is longer than 2000 characters.',
    'reason must be shorter than or equal to 2000 characters',
  ),
  reasonNullCharacter: field('`reason` contains U+0000.', 'reason must not contain null characters'),
};

export const ofActor: Conditions = {
  actorTooLong: field(
    '`X-Actor` is longer than 100 characters.',
    'x-actor must be shorter than or equal to 100 characters',
  ),
};

/** Of what changes something: who and why are recorded. */
export const ofChange: Conditions = { ...ofBody, ...ofReason, ...ofActor };

export const ofStoreName: Conditions = {
  nameNotAString: field('`name` is missing or no string.', 'name must be a string'),
  nameTooShort: field('`name` is empty.', 'name must be longer than or equal to 1 characters'),
  nameBlank: field('`name` is only spaces.', 'name should not be empty'),
  nameTooLong: field(
    '`name` is longer than 200 characters.',
    'name must be shorter than or equal to 200 characters',
  ),
  nameNullCharacter: field('`name` contains U+0000.', 'name must not contain null characters'),
};

export const ofStoreTerms: Conditions = {
  feePercentNotANumber: field('`feePercent` is no number.', `feePercent ${number}`),
  feePercentTooLow: field('`feePercent` is negative.', 'feePercent must not be less than 0'),
  feePercentTooHigh: field('`feePercent` is more than 100.', 'feePercent must not be greater than 100'),
  feePercentTooFine: field(
    '`feePercent` has more than four decimals.',
    'feePercent must have at most four decimals',
  ),
  feeFixedNotANumber: field('`feeFixed` is no number.', `feeFixed ${number}`),
  feeFixedTooLow: field('`feeFixed` is negative.', 'feeFixed must not be less than 0'),
  feeFixedTooHigh: field('`feeFixed` is more than a million.', 'feeFixed must not be greater than 1000000'),
  feeFixedTooFine: field('`feeFixed` has more than two decimals.', 'feeFixed must have at most two decimals'),
  maxAmountNotANumber: field('`maxAmount` is no number.', `maxAmount ${number}`),
  maxAmountTooLow: field('`maxAmount` is less than 5.', 'maxAmount must not be less than 5'),
  maxAmountTooHigh: field(
    '`maxAmount` is more than a million.',
    'maxAmount must not be greater than 1000000',
  ),
  maxAmountTooFine: field(
    '`maxAmount` has more than two decimals.',
    'maxAmount must have at most two decimals',
  ),
  reviewAboveNotANumber: field('`reviewAbove` is no number.', `reviewAbove ${number}`),
  reviewAboveTooLow: field('`reviewAbove` is less than 0.01.', 'reviewAbove must not be less than 0.01'),
  reviewAboveTooHigh: field(
    '`reviewAbove` is more than a million.',
    'reviewAbove must not be greater than 1000000',
  ),
  reviewAboveTooFine: field(
    '`reviewAbove` has more than two decimals.',
    'reviewAbove must have at most two decimals',
  ),
};

export const ofActive: Conditions = {
  activeNotABoolean: field('`active` is neither true nor false.', 'active must be a boolean value'),
};

export const ofExpiry: Conditions = {
  expiresAtNotAString: field('`expiresAt` is not a string.', 'expiresAt must be a string'),
  expiresAtInvalid: field(
    '`expiresAt` is no date-time with an offset.',
    'expiresAt must be a valid ISO 8601 date string',
  ),
};

export const ofStoreId: Conditions = {
  storeIdInvalid: field('`storeId` is no UUID.', 'storeId must be a UUID'),
};
export const ofPaymentId: Conditions = {
  paymentIdInvalid: field('`paymentId` is no UUID.', 'paymentId must be a UUID'),
};
export const ofDeliveryState: Conditions = {
  stateUnknown: field(
    '`state` is no state of a delivery.',
    `state ${oneOf(['pending', 'delivered', 'dead'])}`,
  ),
};
export const ofRefundState: Conditions = {
  stateUnknown: field(
    '`state` is no state of a refund that has not been made.',
    `state ${oneOf(['requested', 'processing', 'failed'])}`,
  ),
};
export const ofSince: Conditions = {
  sinceInvalid: field(
    '`since` is no date-time with an offset.',
    'since must be a valid ISO 8601 date string',
  ),
};
export const ofSinceType: Conditions = {
  storeIdNotAString: field('`storeId` is not a string.', 'storeId must be a string'),
  sinceNotAString: field('`since` is not a string.', 'since must be a string'),
};

export const ofSearch: Conditions = {
  ...ofStoreId,
  statusUnknown: field('`status` is none of the payment statuses.', `status ${oneOf(paymentStatuses)}`),
  ...ofSince,
  untilInvalid: field(
    '`until` is no date-time with an offset.',
    'until must be a valid ISO 8601 date string',
  ),
  qNotAString: field('`q` is there more than once.', 'q must be a string'),
  qEmpty: field('`q` is empty.', 'q should not be empty'),
  qTooLong: field('`q` is longer than 320 characters.', 'q must be shorter than or equal to 320 characters'),
  qNullCharacter: field('`q` contains U+0000.', 'q must not contain null characters'),
};

export const ofStatus: Conditions = {
  statusUnknown: field('`status` is none of the payment statuses.', `status ${oneOf(paymentStatuses)}`),
};

export const notFound = {
  store: { storeNotFound: condition('The store does not exist.', errors.storeNotFound()) },
  token: { tokenNotFound: condition('The store has no such token.', errors.tokenNotFound()) },
  payment: { paymentNotFound: condition('The payment does not exist.', errors.paymentNotFound()) },
  refund: { refundNotFound: condition('The payment has no such refund.', errors.refundNotFound()) },
  delivery: { deliveryNotFound: condition('The delivery does not exist.', errors.deliveryNotFound()) },
  unmatchedPix: {
    unmatchedPixNotFound: condition('No such Pix is kept.', errors.unmatchedPixNotFound()),
  },
  endpoint: { endpointNotFound: condition('No failing receiver has this id.', errors.endpointNotFound()) },
} satisfies Record<string, Conditions>;

export const ofTransition: Conditions = {
  transitionNotAllowed: condition(
    'A payment in this status can’t be moved so.',
    errors.transitionRefused('A transição de pending para paid não é permitida.'),
  ),
  beingRefunded: condition(
    'What was received is on its way back.',
    errors.transitionRefused('O pagamento está sendo devolvido.'),
  ),
  nothingReceivedLeft: condition(
    'All that was received has gone back.',
    errors.transitionRefused('Nada resta do que foi recebido.'),
  ),
  returnUnderWay: condition(
    'A refund of the payment, ours or the bank’s, has not ended yet.',
    errors.transitionRefused('Há uma devolução em andamento.'),
  ),
  chargeUnknownAtBank: condition(
    'The bank does not know the charge whose review is to be approved.',
    errors.transitionRefused('O banco não conhece a cobrança deste pagamento.'),
  ),
};

export const ofRefundAmount: Conditions = {
  amountNotANumber: field('`amount` is no number, or has more than two decimals.', `amount ${number}`),
  amountTooLow: field('`amount` is less than a centavo.', 'amount must not be less than 0.01'),
};

export const ofRefund: Conditions = {
  notRefundable: condition(
    'Only approved and paid payments are given back so.',
    errors.refundRefused('Um pagamento com status review não pode ser devolvido.'),
  ),
  nothingToRefund: condition(
    'All of it has gone back, or is on its way.',
    errors.refundRefused('Nada resta a devolver deste pagamento.'),
  ),
  refusedByTheBank: condition(
    'The bank refused the refund of what is left: that one is to be ordered anew.',
    errors.refundRefused('O banco recusou a devolução do que resta; peça-a de novo.'),
  ),
  moreThanIsLeft: condition(
    '`amount` is more than what is left.',
    errors.refundRefused('O valor é maior do que o que resta a devolver deste pagamento.'),
  ),
};

export const ofUnmatchedRefund: Conditions = {
  nothingLeft: condition(
    'All of the Pix has gone back, or is on its way.',
    errors.refundRefused('Nada resta a devolver deste Pix.'),
  ),
};

export const ofWithdrawal: Conditions = {
  refundOfThePayer: condition(
    'The refund was not ordered by a person, or is of a payment that is not approved or paid.',
    errors.refundRefused('O valor desta devolução pertence a quem pagou.'),
  ),
};

export const ofRefundAnew: Conditions = {
  refundOfTheBank: condition(
    'The bank started the refund itself.',
    errors.refundRefused('A devolução foi iniciada pelo banco.'),
  ),
  refundNotRefused: condition(
    'The bank did not refuse the refund.',
    errors.refundRefused('A devolução não foi recusada pelo banco.'),
  ),
  refundOrderedAlready: condition(
    'The refund was ordered anew before, maybe just now by someone else, or by the service.',
    errors.refundRefused('A devolução já foi solicitada novamente.'),
  ),
  refundNotOwed: condition(
    'Nothing of the Pix is to go back any more.',
    errors.refundRefused('Nada resta a devolver de um pagamento com status approved.'),
  ),
};

export const ofDeliveryUnderWay: Conditions = {
  deliveryUnderWay: condition('An attempt is being made right now.', errors.deliveryUnderWay()),
};
