import { randomUUID } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { HttpMetrics } from '@payments/metrics/http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { createErrorAnswers, errorAnswers } from './errors/error-answers.ts';
import { errors } from './errors/errors.ts';
import { jsonBody } from './json-body.ts';
import { lazySerializers } from './lazy-serializers.ts';
import { requestSpans } from './request-spans.ts';
import { compileValidator } from './schema-validation.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

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

export type ServerOptions = {
  log: Logger;
  metrics: HttpMetrics;
  listener: 'public' | 'admin' | 'panel' | 'callback';
  /** Without it plain HTTP: TLS ends before us. */
  https?: SecureContextOptions & TlsOptions;
  trustProxy: TrustedProxies;
  /** How long idle connections stay open. */
  keepAliveSeconds: number;
  /** Changes the URL of a request before its route is looked for. */
  rewriteUrl?: (request: { url?: string | undefined }) => string;
};

/** @returns a Fastify instance with the listeners' common limits, request ids, JSON parsing and error handling */
export async function createServer({
  log,
  metrics,
  listener,
  https,
  trustProxy,
  keepAliveSeconds,
  rewriteUrl,
}: ServerOptions): Promise<FastifyInstance> {
  const { answerError, answerClientError, answerExpectation } = createErrorAnswers(metrics.refused);
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // Node's time-outs for headers and requests begin with a request's first byte, so they may be shorter.
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
    ...(rewriteUrl ? { rewriteUrl } : {}),
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers } },
  });
  app.server.on('checkExpectation', answerExpectation);
  app.setValidatorCompiler(compileValidator);
  await app.register(requestSpans);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    const isHostMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    if (isHostMissing) throw errors.malformedRequest();
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

/** Logs one line per request, with the route's pattern: a URL may contain personal data. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, store } = request;
  if (routeOptions.config.unlogged) return;
  const storeId = store?.id;
  const ms = Math.round(reply.elapsedTime);
  request.log.info({ method, route: routeOptions.url, storeId, status: reply.statusCode, ms }, 'request');
}
