import { connect, type LookupFunction, type Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './addresses.ts';
import type { NameLookup } from './name-lookup.ts';
import { SendFailure } from './send-failure.ts';

/** How long one of several addresses is tried before the next (RFC 8305). */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** A receiver chooses the prime of finite-field Diffie-Hellman. A huge one would stop this process for most of a second. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`;

export interface VettedConnectorOptions {
  policy: AddressPolicy;
  lookup: NameLookup;
  /** For name, TCP and TLS together. */
  timeoutMs: number;
}

/**
 * An undici connector that refuses addresses which the policy forbids. IP literals are judged apart, as they reach no
 * lookup. Every address of a name must be allowed. The connected address is judged again before a byte is written.
 * Errors are `SendFailure`s.
 */
export function vettedConnector(options: VettedConnectorOptions): buildConnector.connector {
  const { policy, timeoutMs } = options;
  const lookup = vettedLookup(policy, options.lookup);
  const secure = buildConnector({ allowH2: false, timeout: 0, ciphers: CIPHERS });

  return (target, callback) => {
    if (!policy.allowsHostname(target.hostname)) return callback(SendFailure.notAllowed(), null);
    const isTls = target.protocol === 'https:';
    const port = target.port === '' ? (isTls ? 443 : 80) : Number(target.port);
    const socket = connect({
      host: target.hostname,
      port,
      lookup,
      noDelay: true,
      keepAlive: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    });
    const finish = once(socket, timeoutMs, callback);
    socket.once('error', (error) => finish(SendFailure.from(error, 'connect')));
    socket.once('connect', () => {
      if (!policy.allows(socket.remoteAddress ?? '')) return finish(SendFailure.notAllowed());
      if (!isTls) return finish(null, socket);
      secure({ ...target, httpSocket: socket }, (error, tlsSocket) =>
        error === null ? finish(null, tlsSocket) : finish(SendFailure.from(error, 'tls')),
      );
    });
  };
}

type Finish = (error: SendFailure | null, socket?: Socket) => void;

/** Reports once, at the deadline at the latest, and destroys the socket on failure. */
function once(socket: Socket, timeoutMs: number, callback: buildConnector.Callback): Finish {
  let finished = false;
  const finish: Finish = (error, connected) => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    if (error === null && connected !== undefined) return callback(null, connected);
    socket.on('error', () => {}).destroy();
    callback(error ?? new SendFailure('connect', 'failed'), null);
  };
  const timer = setTimeout(() => finish(new SendFailure('timeout', 'not_connected_in_time')), timeoutMs);
  return finish;
}

/**
 * A lookup for `net.connect` that returns addresses only if the policy allows all of the name's. With one forbidden
 * address among them, chance would decide which one is connected to. Errors are `SendFailure`s.
 */
export function vettedLookup(policy: AddressPolicy, lookup: NameLookup): LookupFunction {
  const find = async (name: string) => {
    const addresses = await lookup(name);
    if (addresses.length === 0) throw new SendFailure('dns', 'name_without_address');
    if (!addresses.every(({ address }) => policy.allows(address))) throw SendFailure.notAllowed();
    return addresses;
  };
  // `autoSelectFamily` always asks for all addresses.
  return (name, _options, callback) => {
    find(name).then(
      (addresses) => callback(null, addresses),
      (error) => callback(SendFailure.from(error, 'dns'), []),
    );
  };
}
