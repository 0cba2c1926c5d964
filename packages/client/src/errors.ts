/** Anything that this client throws by itself. */
export class PaymentsError extends Error {
  override name = 'PaymentsError';
}

/** The service answered with an error. `message` is the service's own. */
export class ApiError extends PaymentsError {
  override name = 'ApiError';
  readonly statusCode: number;
  /** `x-request-id` of the answer: tell it to support. */
  readonly requestId: string | undefined;
  /** Seconds that the service asks to wait for. */
  readonly retryAfter: number | undefined;

  constructor(
    statusCode: number,
    message: string,
    details: { requestId?: string | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** There was no whole answer: no connection, one that broke, or none in time. `cause` says which. */
export class ConnectionError extends PaymentsError {
  override name = 'ConnectionError';
}

/** A payment was not final in time; `payment` is how it was last read. */
export class WaitTimeout<Payment = unknown> extends PaymentsError {
  override name = 'WaitTimeout';
  readonly payment: Payment;

  constructor(message: string, payment: Payment) {
    super(message);
    this.payment = payment;
  }
}
