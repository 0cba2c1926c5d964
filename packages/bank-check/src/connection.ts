import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { TlsMaterial } from '@payments/pix/tls-files';
import { CheckFailed } from './failure.ts';

export type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** Certificates of the connection; null without TLS. */
  bank: string | null;
  ours: string | null;
};

export type Call = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  tls: TlsMaterial;
};

const timeoutMs = 10_000;

/** One request over a new connection, with the certificates of both sides. Rejects with the system's error. */
export function call({ url, method, headers = {}, body, tls }: Call): Promise<Reply> {
  const isTls = url.startsWith('https:');
  const options = { method, headers, agent: false as const, timeout: timeoutMs };
  return new Promise((resolve, reject) => {
    const request = isTls ? requestHttps(url, { ...options, ...tls }) : requestHttp(url, options);
    request.on('error', reject);
    request.on('timeout', () =>
      request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    );
    request.on('response', async (answer) => {
      const socket = answer.socket as TLSSocket;
      const bank = isTls ? describe(socket.getPeerCertificate()) : null;
      const ours = isTls ? describe(socket.getCertificate() as PeerCertificate | null) : null;
      const chunks = await answer.toArray().catch(() => []);
      const text = Buffer.concat(chunks).toString();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text, bank, ours });
    });
    request.end(body);
  });
}

function describe(certificate: PeerCertificate | null): string | null {
  if (!certificate?.valid_to) return null;
  const { CN } = certificate.subject ?? {};
  return `${CN ?? 'without a name'}, until ${dayOf(certificate.valid_to)}`;
}

function dayOf(date: string): string {
  return new Date(date).toISOString().slice(0, 10);
}

/** @returns the addresses of a host. @throws CheckFailed */
export async function addressesOf(url: string): Promise<string> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  try {
    const found = await lookup(host, { all: true });
    return `${host} is ${found.map(({ address }) => address).join(', ')}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CheckFailed(
      `${host} has no address (${code})`,
      'Check PIX_URL and PIX_TOKEN_URL, and DNS from here.',
    );
  }
}

const certificateAdvice: [RegExp, string][] = [
  [
    /UNABLE_TO|SELF_SIGNED|CERT_UNTRUSTED|ISSUER/,
    'PIX_CA_FILE does not hold the authority that signed the bank’s certificate: take it from the bank’s portal.',
  ],
  [/ALTNAME/, 'The bank’s certificate is for another host: check PIX_URL and PIX_TOKEN_URL.'],
  [
    /CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/,
    'By this machine’s clock the bank’s certificate is not valid: check the clock.',
  ],
  [
    /ALERT|SSL|ECONNRESET|EPIPE|CERTIFICATE_REQUIRED/,
    'The bank does not take our certificate: check PIX_P12_FILE, or PIX_CERT_FILE with PIX_KEY_FILE, and that it is the one of this application and environment.',
  ],
  [
    /ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    'Nobody answers there: check the address, and that this network lets it through.',
  ],
];

/** The meaning of each connection error. */
export function connectionFailure(host: string, error: unknown): CheckFailed {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const advice = certificateAdvice.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
  return new CheckFailed(`${host}: ${code || message}`, advice ?? 'Check the address and the certificates.');
}

/** @throws CheckFailed when our certificate is not valid at this time */
export function checkOurs({ cert }: TlsMaterial, now: Date): void {
  if (!cert) return;
  const { validTo, validFrom } = new X509Certificate(cert);
  const renew = 'Renew it at the bank.';
  if (new Date(validTo) < now) throw new CheckFailed(`our certificate ended on ${dayOf(validTo)}`, renew);
  if (new Date(validFrom) > now)
    throw new CheckFailed(`our certificate begins on ${dayOf(validFrom)}`, renew);
}
