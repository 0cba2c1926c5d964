import type { FailedStage, SendErrorCode } from '@payments/domain/delivery-error';

/** The reason why a request got no response. It is safe to show. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly stage: FailedStage;
  readonly code: SendErrorCode;
  /** The system's error code, with the code `system`. */
  readonly detail: string | undefined;

  constructor(stage: FailedStage, code: SendErrorCode, detail?: string) {
    super(`${stage}: ${code}`);
    this.stage = stage;
    this.code = code;
    this.detail = detail;
  }

  /** Reveals nothing about a blocked address to the store. */
  static notAllowed(): SendFailure {
    return new SendFailure('address', 'not_allowed');
  }

  /** Keeps a `SendFailure`; of any other error only the code, because messages name addresses. */
  static from(error: unknown, stage: FailedStage): SendFailure {
    return error instanceof SendFailure ? error : new SendFailure(stage, ...codeOf(error));
  }
}

const knownCodes: Record<string, SendErrorCode> = {
  EAI_AGAIN: 'name_unresolved',
  ENODATA: 'name_without_address',
  ENOTFOUND: 'name_not_found',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'network_unreachable',
  EPIPE: 'connection_closed',
  ETIMEDOUT: 'connection_timed_out',
  UND_ERR_CLOSED: 'sender_closed',
  UND_ERR_DESTROYED: 'sender_closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not_http_response',
  UND_ERR_SOCKET: 'connection_closed',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
};

function codeOf(error: unknown): [code: SendErrorCode, detail?: string] {
  if (!(error instanceof Error)) return ['failed'];
  if (error.name === 'HTTPParserError') return ['not_http_response'];
  const code = 'code' in error ? String(error.code) : '';
  const known = knownCodes[code];
  if (known) return [known];
  // Codes are upper-case identifiers; other text might reveal something.
  return /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? ['system', code] : ['failed'];
}
