/** Why work at a bank failed, as it is stored: the codes, and their English words for programs and logs. */

/** A call gave no usable response, or was refused; or it was not made. */
const ofCalls = {
  network: 'the PSP could not be reached',
  timeout: 'the PSP did not answer in time',
  status: 'the PSP could not serve the request',
  'wrong-address': 'the PSP has no API Pix at this address',
  unreadable: "the PSP's answer can't be understood",
  'breaker-open': 'the PSP is failing and was not called',
  paced: 'the calls that the PSP allows were used up, and it was not called',
  'tokens-used-up': 'the token is dead, and the tokens that the PSP gives in a minute were used up',
  'not-configured': 'the bank is not configured, and was not called',
};

const english = {
  ...ofCalls,
  refused: 'the PSP refused with ',
  charge_unknown: 'the PSP does not know the charge',
  charge_active: 'the PSP says that the charge can still be paid',
  charge_removed: 'the PSP says that the charge is removed',
  paid_without_pix: 'the PSP says that the charge is paid, and shows no Pix',
  pix_of_another_payment: 'the PSP shows a Pix that stands on another payment',
  pix_unreadable: 'the PSP shows a Pix that can’t be read',
  pix_misplaced: 'a Pix of the charge stands on another payment',
  pix_not_in_charge: 'the charge does not show a Pix that the PSP told of',
  return_not_in_charge: 'the charge does not show a return that the PSP told of',
  return_unreadable: 'the PSP shows a return that can’t be read',
  amount_differs: 'the PSP shows another amount than the charge’s',
  key_differs: 'the PSP shows another receiver’s key in the charge',
  kind_differs: 'the charge is real and the payment a test, or the other way round',
  other_receiver: 'the charge is another receiver’s',
  no_payment: 'no payment is known of the charge',
  no_payment_of_store: 'no payment of store ',
  no_payment_of_unknown_store: 'no payment of store unknown',
  refund_not_shown: 'the bank shows it no more',
  returned_already: 'all of it had gone back already',
  /** The bank's own words are the detail. */
  told: '',
  /** An error of the service's own: its message is the detail. */
  unexpected: '',
};

/** Why a call gave no usable response. */
export type UnavailableReason = keyof typeof ofCalls;
export type BankErrorCode = keyof typeof english;

/** `operation` names the call that failed; `detail` is what the bank said of it, or a status. */
export type BankError = { code: BankErrorCode; operation?: string; detail?: string };

/** Words for every code, in one language. */
export type BankErrorWords = Readonly<Record<BankErrorCode, string>>;

const endsWithDetail: readonly BankErrorCode[] = ['refused', 'no_payment_of_store', 'told', 'unexpected'];

/** @returns the error in words: in English, unless others are given */
export function bankErrorText(
  { code, operation, detail }: BankError,
  words: BankErrorWords = english,
): string {
  const place = operation === undefined ? '' : `${operation}: `;
  if (detail === undefined) return `${place}${words[code]}`;
  return `${place}${words[code]}${endsWithDetail.includes(code) ? detail : ` (${detail})`}`;
}

/** A rule of the service by which a refund is not made. */
export type RefundRule = 'windowOver' | 'moreThanIsLeft';

/** Why a refund is not made yet, or has failed. */
export type RefundError = BankError | { code: RefundRule };

/** @returns whether a rule of the service decided, and not the bank */
export function isRefundRule(error: RefundError): error is { code: RefundRule } {
  return error.code === 'windowOver' || error.code === 'moreThanIsLeft';
}

/** A failure of work at a bank, with what is stored of it. */
export class BankFailure extends Error {
  // No plain field: a log would show it beside the message.
  readonly #stored: BankError;

  constructor(error: BankError) {
    super(bankErrorText(error));
    this.#stored = storable(error);
  }

  get stored(): BankError {
    return this.#stored;
  }
}

/** @returns what is stored of a failure */
export function bankErrorOf(failure: unknown): BankError {
  if (failure instanceof BankFailure) return failure.stored;
  const detail = failure instanceof Error ? failure.message : String(failure);
  return storable({ code: 'unexpected', detail });
}

/** @returns what is stored of a bank's own words; null without them */
export function bankWords(detail: string | null): BankError | null {
  return detail === null ? null : storable({ code: 'told', detail });
}

/** PostgreSQL's JSON has neither NUL nor half a character, which a cut text may end with. */
function storable({ detail, ...error }: BankError): BankError {
  return detail === undefined ? error : { ...error, detail: detail.toWellFormed().replaceAll('\0', '') };
}
