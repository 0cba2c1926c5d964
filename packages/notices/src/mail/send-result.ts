import type { SendError, SendResult } from '../sending.ts';

/** How far a try had come: `body` begins with the first byte of the letter. */
export type Stage = 'connect' | 'sign_in' | 'envelope' | 'body';

/** The fields of an error of nodemailer that are read. Its message is not read: it repeats the server's words, and addresses. */
type Reported = {
  name?: string;
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
  responseCode?: number;
};

/**
 * Judges a failed try. Pure.
 * A server's reply settles it: 5xx to the recipient or to the letter is for good, everything else is tried again. With no
 * reply once the body has begun, nobody knows.
 * @param error an error of nodemailer or of a socket, or the deadline's
 */
export function sendResultOf(stage: Stage, error: unknown): SendResult {
  const reported = error as Reported;
  const { responseCode, command = '' } = reported;
  if (responseCode) return repliedResult(stage, responseCode, reported);
  const why = errorOf(stage, reported);
  if (stage === 'body') return { state: 'unknown', error: why };
  // No mail server was needed to see that there is no such address.
  if (reported.code === 'EENVELOPE' && command === 'API') return { state: 'refused', error: why };
  return { state: 'not_sent', server: true, error: why };
}

// Replies that tell of the connection, whatever they are the answer to: the server closes; it asks who we are; a command
// came out of turn.
const ofServer = [421, 503, 530, 534, 535, 538];

function repliedResult(stage: Stage, status: number, { command = '', response = '' }: Reported): SendResult {
  const detail = replyCode(response, status);
  const isOfLetter = (stage === 'body' || command === 'RCPT TO') && !ofServer.includes(status);
  if (isOfLetter && status >= 500) return { state: 'refused', error: { code: 'refused', detail } };
  const code = command === 'STARTTLS' ? 'tls' : stage === 'sign_in' ? 'authentication' : 'answered';
  return { state: 'not_sent', server: !isOfLetter, error: { code, detail } };
}

/** @returns the reply's code with its enhanced one (RFC 3463): `550 5.1.1` */
function replyCode(response: string, status: number): string {
  const [, enhanced] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response) ?? [];
  return enhanced === undefined ? String(status) : `${status} ${enhanced}`;
}

function errorOf(stage: Stage, { name, code = '', originalCode = code }: Reported): SendError {
  if (name === 'TimeoutError' || name === 'AbortError' || code === 'ETIMEDOUT') return { code: 'timeout' };
  if (code === 'EAUTH') return { code: 'authentication' };
  if (code === 'EENVELOPE') return { code: 'refused' };
  if (code === 'ETLS' || isOfTls(originalCode)) return { code: 'tls', ...systemCode(originalCode) };
  if (stage === 'connect' && unreachable.includes(originalCode))
    return { code: 'unreachable', detail: originalCode };
  return { code: 'connection_lost', ...systemCode(originalCode) };
}

const unreachable = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
];

const isOfTls = (code: string) => /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_/.test(code);

/** @returns the system's own code; nodemailer's names for the same say nothing more */
function systemCode(code: string): { detail?: string } {
  return /^(ETLS|ECONNECTION|ESOCKET|ESTREAM|EPROTOCOL|)$/.test(code) ? {} : { detail: code };
}
