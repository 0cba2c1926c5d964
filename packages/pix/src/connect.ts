import { withoutEndSlashes } from '@payments/runtime/addresses';
import { createAddressing } from './addressing.ts';
import { createBreaker } from './breaker.ts';
import { createCaller } from './call.ts';
import { exchange } from './exchange.ts';
import { createPacer } from './pacer.ts';
import { tokenUrlOf } from './profiles/addresses.ts';
import { bacen } from './profiles/bacen.ts';
import { createTokens } from './token.ts';
import { createTransport } from './transport.ts';
import type { PixClientOptions } from './types.ts';

/** Connections, tokens, pacing and breakers of one PSP, and `call`, which runs an operation through all of them. */
export function connect(options: PixClientOptions) {
  const { clientId, clientSecret = '', timeoutMs = 5000, now = Date.now, onCall = () => {} } = options;
  const { profile = bacen, callsPerMinute = profile.callsPerMinute } = options;
  const url = withoutEndSlashes(new URL(options.url).href);
  const { tls, onUnusableFile = () => {} } = options;
  const transport = createTransport({ timeoutMs, now, onUnusableFile, ...(tls && { tls }) });
  const tokens = createTokens({
    url: new URL(options.tokenUrl ?? tokenUrlOf(profile, url)).href,
    clientId,
    clientSecret,
    profile,
    now,
    certificate: () => transport.certificate(),
    send: (request) =>
      exchange({
        name: 'token',
        accepts: [],
        denied: [],
        secrets: [clientSecret],
        // Its own time limit, since other callers wait for it, too.
        send: () => transport.send('token', request, AbortSignal.timeout(timeoutMs)),
        onCall,
      }),
  });
  const breakers = {
    creations: createBreaker(now),
    lists: createBreaker(now),
    others: createBreaker(now),
  };
  const addressing = createAddressing(url, profile, options);
  const pace = createPacer(callsPerMinute, now);
  const call = createCaller({
    addressing,
    denied: profile.denied,
    pace,
    transport,
    tokens,
    breakers,
    timeoutMs,
    onCall,
  });
  return { breakers, transport, call, profile, now, timeoutMs };
}
