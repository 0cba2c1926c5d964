import { randomUUID } from 'node:crypto';
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { answerClientError, answerError, errorAnswers } from './errors/error-answers.ts';
import { jsonBody } from './json-body.ts';

const bodyLimitBytes = 64 * 1_024;
const requestTimeoutMs = 30_000;
const longestParameter = 8_192;
const requestIdForm = /^[\w.:-]{1,128}$/;

/** @returns a Fastify instance with what both listeners share: limits, ids, JSON, and one way to answer errors */
export async function createServer(log: Logger): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // While closing, requests on open connections are still answered: a rolling restart fails none (design 7.8).
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: longestParameter },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
    },
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
  });
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  await app.register(errorAnswers);
  await app.register(jsonBody);
  return app;
}
