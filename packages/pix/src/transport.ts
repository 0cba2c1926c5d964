import { Agent } from 'undici';
import { PixUnavailable } from './errors.ts';
import { parseJson } from './json.ts';
import { certificateEnd, openTlsFiles, type TlsMaterial, type UnusableFile } from './tls-files.ts';
import type { TlsFiles } from './types.ts';
import { longestAnswer, wholeAnswer } from './whole-answer.ts';

export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'PATCH';
export type HttpRequest = {
  method: HttpMethod;
  origin: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** `body` is undefined when it was empty, and the text itself when it was no JSON. */
export type HttpAnswer = { status: number; body: unknown };

export interface Transport {
  /** One exchange. PixUnavailable after a network failure, or when the signal ends it. */
  send(operation: string, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** The number of certificate changes. A token is bound to its certificate (RFC 8705). */
  certificate(): number;
  /** When the certificate in use ends; null without one. */
  certificateEnd(): Date | null;
  close(): Promise<void>;
}

/** HTTP/1.1 over kept-alive connections, with mTLS when files are given. */
export function createTransport(options: {
  tls?: TlsFiles;
  timeoutMs: number;
  now: () => number;
  onUnusableFile?: (error: UnusableFile) => void;
}): Transport {
  const files = options.tls && openTlsFiles(options.tls, options.now, options.onUnusableFile);
  let agent = createAgent(options.timeoutMs, files?.current());
  let certificate = 0;
  let endsAt = files ? certificateEnd(files.current()) : null;

  const refresh = () => {
    const material = files?.changed();
    if (!material) return;
    // Closing lets what is in flight finish on the old certificate.
    agent.close().catch(() => {});
    agent = createAgent(options.timeoutMs, material);
    certificate += 1;
    endsAt = certificateEnd(material);
  };

  return {
    async send(operation, request, signal) {
      refresh();
      try {
        const { status, text } = await wholeAnswer(agent, request, signal);
        return { status, body: parseJson(text) ?? (text || undefined) };
      } catch (error) {
        throw signal.aborted ? new PixUnavailable(operation, 'timeout') : networkFailure(operation, error);
      }
    },
    certificate() {
      refresh();
      return certificate;
    },
    certificateEnd() {
      refresh();
      return endsAt;
    },
    close: () => agent.close(),
  };
}

function createAgent(timeoutMs: number, tls?: TlsMaterial): Agent {
  return new Agent({
    // With one request at a time on a connection, undici has nothing to send again by itself.
    pipelining: 1,
    allowH2: false,
    connections: 64,
    maxResponseSize: longestAnswer,
    connect: { timeout: timeoutMs, ...tls },
  });
}

/** Keeps only the error's code: messages and causes may contain addresses and headers. */
function networkFailure(operation: string, error: unknown): PixUnavailable {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  // The service stops, or the bank's entry has gone: nothing was sent, so no charge is to blame.
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED')
    return new PixUnavailable(operation, 'not-configured');
  const late = code === 'UND_ERR_CONNECT_TIMEOUT';
  return new PixUnavailable(operation, late ? 'timeout' : 'network', code);
}
