import { randomUUID } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { HttpMetrics } from '@payments/metrics/http';
import { isTracing } from '@payments/tracing/tracing';
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
    /** No line for each request: probes ask every few seconds. */
    unlogged?: boolean;
  }
}

// So much that whoever sends a field that is too long is told which one.
const bodyLimitBytes = 1_024 * 1_024;
const requestTimeoutMs = 30_000;
// As long as Node lets a whole head be: an id that is too long to be one is not found, like any other.
const longestParameter = 16_384;
const requestIdForm = /^[\w.:-]{1,128}$/;

export type ServerOptions = {
  log: Logger;
  metrics: HttpMetrics;
  listener: 'public' | 'admin' | 'callback';
  /** Without it plain HTTP: TLS ends before us. */
  https?: SecureContextOptions & TlsOptions;
  trustProxy: TrustedProxies;
};

/** @returns a Fastify instance with what both listeners share: limits, ids, JSON, and one way to answer errors */
export async function createServer({
  log,
  metrics,
  listener,
  https,
  trustProxy,
}: ServerOptions): Promise<FastifyInstance> {
  const { answerError, answerClientError, answerExpectation } = createErrorAnswers(metrics.refused);
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // While closing, requests on open connections are still answered: a rolling restart fails none (Contract: restarts).
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node would turn it away without a body; the hook below does so with one.
    ...(https ? { https: { ...https, requireHostHeader: false } } : { http: { requireHostHeader: false } }),
    routerOptions: { maxParamLength: longestParameter },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
    },
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers } },
  });
  app.server.on('checkExpectation', answerExpectation);
  app.setValidatorCompiler(compileValidator);
  if (isTracing()) await app.register(requestSpans);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    const isHostMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    if (isHostMissing) throw errors.malformedRequest();
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const { statusCode, elapsedTime: ms } = reply;
    metrics.answered({ listener, method, route: routeOptions.url, statusCode, ms });
    logRequest(request, reply);
  });
  await app.register(errorAnswers, { answerError });
  await app.register(jsonBody);
  return app;
}

/** One line a request. The route's pattern, not the URL: a URL may hold what should not be in a log. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, store } = request;
  if (routeOptions.config.unlogged) return;
  const storeId = store?.id;
  const ms = Math.round(reply.elapsedTime);
  request.log.info({ method, route: routeOptions.url, storeId, status: reply.statusCode, ms }, 'request');
}
