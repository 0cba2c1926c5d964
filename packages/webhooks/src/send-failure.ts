import type { FailedStage } from './attempt-result.ts';

/** The reason why a request got no response. Its message is safe to show (see `FailedAttempt.error`). */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly stage: FailedStage;

  constructor(stage: FailedStage, message: string) {
    super(message);
    this.stage = stage;
  }

  /** Reveals nothing about a blocked address to the store. */
  static notAllowed(): SendFailure {
    return new SendFailure('address', 'not allowed');
  }

  /** Keeps a `SendFailure`; of any other error only the code, because messages name addresses. */
  static from(error: unknown, stage: FailedStage): SendFailure {
    return error instanceof SendFailure ? error : new SendFailure(stage, describe(error));
  }
}

const DESCRIPTIONS: Record<string, string> = {
  EAI_AGAIN: 'name could not be resolved',
  ENODATA: 'name has no address',
  ENOTFOUND: 'name not found',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CLOSED: 'sender is closed',
  UND_ERR_DESTROYED: 'sender is closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not an HTTP response',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_HEADERS_OVERFLOW: 'headers too large',
};

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'HTTPParserError') return 'not an HTTP response';
  const code = 'code' in error ? String(error.code) : '';
  // Codes are upper-case identifiers; other text might reveal something.
  return DESCRIPTIONS[code] ?? (/^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : 'failed');
}
