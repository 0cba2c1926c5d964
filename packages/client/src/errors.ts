/** The base of this client's errors. */
export class PaymentsError extends Error {
  override name = 'PaymentsError';
}

/** The service responded with an error. `message` is the service's own. */
export class ApiError extends PaymentsError {
  override name = 'ApiError';
  readonly statusCode: number;
  /** The error's name for programs, such as `tokenSuperseded`. Undefined if a proxy responded in the service's place. */
  readonly code: string | undefined;
  /** The response's `x-request-id`, for support. */
  readonly requestId: string | undefined;
  /** The seconds that the service asks to wait. */
  readonly retryAfter: number | undefined;

  constructor(
    statusCode: number,
    message: string,
    details: {
      code?: string | undefined;
      requestId?: string | undefined;
      retryAfter?: number | undefined;
    } = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** The response is missing, incomplete or late. `cause` says why. */
export class ConnectionError extends PaymentsError {
  override name = 'ConnectionError';
}

/** A payment was not final in time; `payment` is the last read. */
export class WaitTimeout<Payment = unknown> extends PaymentsError {
  override name = 'WaitTimeout';
  readonly payment: Payment;

  constructor(message: string, payment: Payment) {
    super(message);
    this.payment = payment;
  }
}
