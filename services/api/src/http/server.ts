import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { HttpMetrics } from '@payments/metrics/http';
import { failed, openSpan, type Span, SpanKind, within } from '@payments/tracing/tracing';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { Logger } from 'pino';
import { compileValidator } from './answers.ts';
import { createErrorAnswers, errorAnswers, watchExchanges } from './errors/error-answers.ts';
import { errors } from './errors/errors.ts';
import { deprecationHeaders, lengthOfCopies } from './headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/**
 * Makes one span per request, as a child of the caller's `traceparent`.
 * `@fastify/otel` does not fit: it writes whole URLs and error messages, with secrets and personal data, to spans.
 */
export const requestSpans = fastifyPlugin(
  async (app) => {
    app.decorateRequest('span', undefined);
    app.addHook('onRequest', (request, _reply, done) => {
      const { method, headers, routeOptions } = request;
      if (routeOptions.config.unlogged) return done();
      const { url: route = 'none' } = routeOptions;
      const { traceparent } = headers;
      request.span = openSpan(`${method} ${route}`, {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'http.route': route },
        traceparent: typeof traceparent === 'string' ? traceparent : null,
      });
      return within(request.span, done);
    });
    // Reading the body loses the async context, so the span is entered again here.
    app.addHook('preValidation', (request, _reply, done) =>
      request.span ? within(request.span, done) : done(),
    );
    app.addHook('onResponse', async ({ span }, { statusCode }) => {
      if (!span) return;
      span.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) failed(span, { code: String(statusCode) });
      span.end();
    });
  },
  { name: 'request-spans' },
);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Writes no log line per request, for probes that come every few seconds. */
    unlogged?: boolean;
    /** The response lasts as long as its reader stays, so its time is not measured. */
    isEndless?: boolean;
  }
}

// Large enough that an overlong field gets its own error instead of a 413.
const bodyLimitBytes = 1_024 * 1_024;
const requestTimeoutMs = 30_000;
// Node's own limit for the whole head: an overlong id is a 404, like any unknown id.
const longestParameter = 16_384;
const requestIdForm = /^[\w.:-]{1,128}$/;

/** The proxies whose `X-Forwarded-*` headers are trusted, as Fastify's `trustProxy`; false trusts none. */
export type TrustedProxies = false | string[] | ((address: string, hop: number) => boolean);

export type ServerOptions = {
  log: Logger;
  metrics: HttpMetrics;
  listener: 'public' | 'admin' | 'panel' | 'callback';
  /** Without it plain HTTP: TLS ends before us. */
  https?: SecureContextOptions & TlsOptions;
  trustProxy: TrustedProxies;
  /** How long idle connections stay open. */
  keepAliveSeconds: number;
  /** The `Link` header of errors that say nothing of what is asked for: where the interface is described. */
  docs?: string;
  /** The path below which people read the answers, as `/pay/`. */
  pages?: string;
};

/** @returns a Fastify instance with the listeners' common limits, request ids, JSON parsing and error handling */
export async function createServer({
  log,
  metrics,
  listener,
  https,
  trustProxy,
  keepAliveSeconds,
  docs,
  pages,
}: ServerOptions): Promise<FastifyInstance> {
  const { answerError, answerClientError, answerExpectation } = createErrorAnswers(metrics.refused, docs);
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // The longest pause between two requests of a connection. It may be longer than Node's time-outs for headers and
    // requests, since those begin only with the first byte of a request.
    keepAliveTimeout: keepAliveSeconds * 1_000,
    // While closing, the server still serves requests on open connections (Contract: restarts).
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node would turn it away without a body; the hook below does so with one.
    ...(https ? { https: { ...https, requireHostHeader: false } } : { http: { requireHostHeader: false } }),
    routerOptions: { maxParamLength: longestParameter },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
    },
    ...(pages === undefined ? {} : { rewriteUrl: literalPath(pages) }),
    frameworkErrors: answerError,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, unanswered(socket)),
    schemaController: { compilersFactory: { buildSerializer: lazySerializers } },
  });
  const unanswered = watchExchanges(app.server);
  app.server.on('checkExpectation', answerExpectation);
  app.setValidatorCompiler(compileValidator);
  await app.register(requestSpans);
  await app.register(deprecationHeaders);
  await app.register(lengthOfCopies);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    leavePortsOut(request);
    if (isHostWrong(request)) throw errors.malformedRequest();
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const { statusCode, elapsedTime: ms } = reply;
    if (!routeOptions.config.isEndless)
      metrics.answered({ listener, method, route: routeOptions.url, statusCode, ms });
    logRequest(request, reply);
  });
  await app.register(errorAnswers, { answerError });
  await app.register(jsonBody);
  return app;
}

/**
 * The router answers a path that it can't decode before any plugin sees it, with an error body. Below `pages`, such a path
 * is taken literally, so that its answer is a page (Contract: payer's page).
 */
function literalPath(pages: string): (request: { url?: string | undefined }) => string {
  return ({ url = '' }) => {
    const [path = '', ...query] = url.split('?');
    if (!path.startsWith(pages) || !path.includes('%') || isDecodable(path)) return url;
    return [path.replaceAll('%', '%25'), ...query].join('?');
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}

const addressWithPort = /^(?:([\d.]{7,15}):\d{1,5}|\[([\da-f:.]{2,45})\](?::\d{1,5})?)$/i;

/** Some proxies write the client's port beside its address, which would make each of its connections another client. */
function leavePortsOut({ raw: { headers } }: FastifyRequest): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string') return;
  const addresses = forwarded.split(',').map((one) => one.trim().replace(addressWithPort, '$1$2'));
  headers['x-forwarded-for'] = addresses.join(', ');
}

const hostForm = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** A request names one host; only before HTTP/1.1 it may name none (RFC 9112, 3.2). Of two, a proxy may follow another. */
function isHostWrong({ headers: { host }, raw: { httpVersion, rawHeaders } }: FastifyRequest): boolean {
  if (host === undefined) return httpVersion === '1.1';
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name));
  return hosts.length > 1 || !hostForm.test(host);
}

/** Logs one line per request, with the route's pattern: a URL may contain personal data. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, store } = request;
  if (routeOptions.config.unlogged) return;
  const storeId = store?.id;
  const ms = Math.round(reply.elapsedTime);
  request.log.info({ method, route: routeOptions.url, storeId, status: reply.statusCode, ms }, 'request');
}

/**
 * Closes kept-alive connections with their next response while the process stops. The client then opens a new
 * connection to another replica. Closing an idle connection could lose a request that is just arriving.
 */
export const draining = fastifyPlugin<{ isAccepting: () => boolean }>(
  async (app, { isAccepting }) => {
    // onSend also catches the responses to requests that arrived before the stop.
    app.addHook('onSend', async (_request, reply) => {
      if (!isAccepting()) void reply.header('connection', 'close');
    });
  },
  { name: 'draining' },
);

/** A proxy that has unpacked the body may leave the header, so it counts only for a body that is no text. */
function isCompressed({ 'content-encoding': coding = 'identity' }: FastifyRequest['headers']): boolean {
  return coding.toLowerCase() !== 'identity';
}

function isEmpty({ 'content-length': length = '0', 'transfer-encoding': coding }: FastifyRequest['headers']) {
  return length === '0' && coding === undefined;
}

/**
 * Parses JSON bodies in UTF-8 (RFC 8259), also behind a byte order mark, which some programs write. An empty body is absent,
 * so validation names the first missing field. Programs name a form's type for a body of length 0, too.
 */
const jsonBody = fastifyPlugin(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async ({ headers }: FastifyRequest, bytes: Buffer) => {
        // Fastify's text parser would silently replace bytes that are not UTF-8.
        if (!isUtf8(bytes)) throw isCompressed(headers) ? errors.bodyCompressed() : errors.invalidJson();
        // TextDecoder leaves the mark out.
        const text = new TextDecoder().decode(bytes);
        if (text.trim() === '') return undefined;
        try {
          return JSON.parse(text) as unknown;
        } catch {
          throw errors.invalidJson();
        }
      },
    );
    app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
      if (!isEmpty(headers)) throw errors.unsupportedMediaType();
    });
  },
  { name: 'json-body' },
);

const compilers = SerializerSelector();

/**
 * For Fastify's `buildSerializer`: compiles a response's schema when it is first sent.
 * Compiling all of them at once would delay each start by a fifth of a second.
 */
const lazySerializers: SerializerFactory = (schemas, options) => {
  const compile = compilers(schemas, options);
  return (answer) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (value) => {
      serialize ??= compile(answer);
      return serialize(value);
    };
  };
};
