import { attemptMetrics } from '@payments/metrics/deliveries';
import { gauge, type Registry } from '@payments/metrics/registry';
import { mailMetrics, scanMetrics } from '@payments/metrics/scans';
import type { ServiceMetrics } from '@payments/startup/metrics';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';

export type HealthOptions = {
  /** Whether the database responds. */
  ping: () => Promise<void>;
  log: Logger;
  /** The metrics of `/metrics`; undefined where they have a port of their own. */
  register: Registry | undefined;
  isNatsConnected: () => boolean;
  isAccepting: () => boolean;
};

const unavailable = { statusCode: 503, message: 'Serviço temporariamente indisponível.' };
const malformed = { statusCode: 400, message: 'Requisição inválida.' };

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const isClients = error.statusCode !== undefined && error.statusCode < 500;
  if (!isClients) request.log.warn({ err: error }, 'not ready');
  const answer = isClients ? malformed : unavailable;
  void reply.code(answer.statusCode).send(answer);
}

/** Health and metrics of the dispatcher: live while it runs, ready while it reaches the database. */
export function buildHealthApp({ ping, log, register, ...state }: HealthOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: answerError,
    // A connection on which no whole request comes would keep the dispatcher from its end.
    forceCloseConnections: true,
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => {
    void reply.code(404).send({ statusCode: 404, message: 'Rota não encontrada.' });
  });
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (_request, reply) => {
    if (!state.isAccepting()) return reply.code(503).send(unavailable);
    await ping();
    return { status: 'ok', nats: state.isNatsConnected() ? 'connected' : 'unavailable' };
  });
  if (register)
    app.get('/metrics', async (_request, reply) =>
      reply.type(register.contentType).send(await register.metrics()),
    );
  return app;
}

/** The dispatcher's own metrics beside those of both services. */
export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

export function dispatcherMetrics(common: ServiceMetrics, reviewTimeoutSeconds: number) {
  const { register } = common;
  gauge(
    register,
    'payments_review_timeout_seconds',
    'How long a payment may stay in review before it is refunded, as configured',
    () => reviewTimeoutSeconds,
  );
  return {
    ...common,
    attempted: attemptMetrics(register),
    mailTried: mailMetrics(register),
    scans: scanMetrics(register),
  };
}
