import { BankFailure, type UnavailableReason } from '@payments/domain/bank-error';

/**
 * The PSP gave no usable response: network, time-out, 5xx, 429, an unreadable response, or the call was not sent.
 * The request may have taken effect, unless `isNotAsked`.
 */
export class PixUnavailable extends BankFailure {
  readonly code = 'PIX_UNAVAILABLE';
  readonly operation: string;
  readonly reason: UnavailableReason;
  readonly status: number | undefined;

  constructor(operation: string, reason: UnavailableReason, detail?: string, status?: number) {
    super({ code: reason, operation, ...(detail && { detail }) });
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

/** The PSP understood the request and refused it: any 4xx but 408 and 429. Nothing happened at the PSP. */
export class PixRefused extends BankFailure {
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
    const said = `${status}${type ? ` ${type}` : ''}${detail ? `: ${detail}` : ''}`;
    super({ code: 'refused', operation, detail: said });
    this.name = 'PixRefused';
    this.operation = operation;
    this.status = status;
    this.type = type;
    this.detail = detail;
    this.aboutAccess = aboutAccess;
  }
}
