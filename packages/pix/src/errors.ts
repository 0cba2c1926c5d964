export type UnavailableReason =
  | 'network'
  | 'timeout'
  | 'status'
  | 'wrong-address'
  | 'unreadable'
  | 'breaker-open'
  | 'paced'
  | 'tokens-used-up'
  | 'not-configured';

/**
 * The PSP gave no usable response: network, time-out, 5xx, 429, an unreadable response, or the call was not sent.
 * The request may have taken effect, unless `isNotAsked`.
 */
export class PixUnavailable extends Error {
  readonly code = 'PIX_UNAVAILABLE';
  readonly operation: string;
  readonly reason: UnavailableReason;
  readonly status: number | undefined;

  constructor(operation: string, reason: UnavailableReason, detail?: string, status?: number) {
    super(`${operation}: ${explanations[reason]}${detail ? ` (${detail})` : ''}`);
    this.name = 'PixUnavailable';
    this.operation = operation;
    this.reason = reason;
    this.status = status;
  }

  /** True if nothing was sent, or nothing but a dead token's call, which does nothing. */
  get isNotAsked(): boolean {
    return notAsked.includes(this.reason);
  }
}

const notAsked: readonly UnavailableReason[] = ['breaker-open', 'paced', 'tokens-used-up', 'not-configured'];

const explanations: Record<UnavailableReason, string> = {
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

/** The PSP understood the request and refused it: any 4xx but 408 and 429. Nothing happened at the PSP. */
export class PixRefused extends Error {
  readonly code = 'PIX_REFUSED';
  readonly operation: string;
  readonly status: number;
  /** Last segment of the problem's `type`, such as `CobOperacaoInvalida`; null without one. */
  readonly type: string | null;
  readonly detail: string | null;
  /** True if our credentials or permissions were refused. It does not concern this charge or refund. */
  readonly aboutAccess: boolean;

  constructor(
    operation: string,
    status: number,
    { type, detail }: { type: string | null; detail: string | null },
    aboutAccess = operation === 'token' || status === 401 || status === 403,
  ) {
    super(
      `${operation}: the PSP refused with ${status}${type ? ` ${type}` : ''}${detail ? `: ${detail}` : ''}`,
    );
    this.name = 'PixRefused';
    this.operation = operation;
    this.status = status;
    this.type = type;
    this.detail = detail;
    this.aboutAccess = aboutAccess;
  }
}
