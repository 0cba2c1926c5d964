import type { KeyObject } from 'node:crypto';
import { postBody } from '@payments/notices/post';
import type { SendError, SendResult } from '@payments/notices/sending';
import type { PostRoute } from '@payments/notices/settings';
import { ConfigurationError } from '@payments/runtime/environment';
import { createAddressPolicy } from '@payments/webhooks/addresses';
import { type AttemptResult, isSuccess } from '@payments/webhooks/attempt-result';
import { createSender } from '@payments/webhooks/sender';
import { signatureHeaders, signingKey } from '@payments/webhooks/signature';
import { userAgent } from '../settings.ts';
import type { Trying } from './tries.ts';

// Stores choose their webhooks' addresses, and may reach public ones alone. This one is the platform's own choice.
const everywhere = createAddressPolicy(['0.0.0.0/0', '::/0']);

const longestMs = 20_000;

/** The platform's webhook, and the key that signs what goes there. */
export type SignedRoute = { url: string; key: KeyObject };

/** @throws ConfigurationError for a malformed secret */
export function signedRoute({ url, secret }: PostRoute): SignedRoute {
  try {
    return { url, key: signingKey(secret) };
  } catch (error) {
    throw new ConfigurationError(`NOTICES_SECRET: ${(error as Error).message}`);
  }
}

/** Posts notices to the platform's webhook, signed by Standard Webhooks under the mail's id. */
export function createPoster(
  { url, key }: SignedRoute,
  { now, timeoutMs }: { now: () => Date; timeoutMs: number },
): { post: Trying['send']; close: () => Promise<void> } {
  const sender = createSender({ policy: everywhere, timeoutMs: Math.min(timeoutMs, longestMs) });
  return {
    post: async ({ id }, { rendered, collected }) => {
      if (collected === null) return { state: 'refused', error: { code: 'refused' } };
      const body = postBody(collected, rendered);
      const signature = signatureHeaders({ id, timestamp: now(), body, keys: [key] });
      const headers = { ...signature, 'content-type': 'application/json', 'user-agent': userAgent };
      return resultOf(await sender.send({ url, headers, body }));
    },
    close: () => sender.close(),
  };
}

const codes: Partial<Record<string, SendError['code']>> = {
  dns: 'unreachable',
  connect: 'unreachable',
  address: 'unreachable',
  tls: 'tls',
  timeout: 'timeout',
};

// It fails before a byte of the post is sent.
const beforeSending = ['url', 'address', 'dns', 'connect', 'tls'];

/** @returns the result of an attempt. 410 is for good; whatever else the receiver answers may be set right there */
export function resultOf(attempt: AttemptResult): SendResult {
  if (isSuccess(attempt)) return { state: 'sent' };
  if (attempt.outcome === 'answered') {
    const error = { code: 'answered' as const, detail: String(attempt.status) };
    return attempt.status === 410 ? { state: 'refused', error } : { state: 'unknown', error };
  }
  const { stage, detail } = attempt;
  const error = { code: codes[stage] ?? 'connection_lost', ...(detail !== undefined && { detail }) };
  return beforeSending.includes(stage)
    ? { state: 'not_sent', error, server: true }
    : { state: 'unknown', error };
}
