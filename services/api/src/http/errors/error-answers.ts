import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DatabaseUnavailable } from '@payments/database/errors';
import { TookTooLong } from '@payments/database/limited-time';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { RefundKeyReused } from '@payments/settlement/refunds/order-refund';
import { Refused } from '@payments/settlement/refusals';
import { TokenRefused } from '@payments/settlement/store-token';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { ApiError } from './api-error.ts';
import { errors, refused, tokenRefusals } from './errors.ts';

type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Renders every error of every route as exactly `statusCode` and `message` (Contract: error body). */
export const errorAnswers = fastifyPlugin(
  async (app, { answerError }: { answerError: AnswerError }) => {
    app.setErrorHandler(answerError);
    // Before the body is read: whatever it is, there is nothing here.
    app.addHook('preParsing', ({ is404 }, _reply, _body, done) =>
      is404 ? done(errors.routeNotFound()) : done(),
    );
    app.setNotFoundHandler((request, reply) => answerError(errors.routeNotFound(), request, reply));
  },
  { name: 'error-answers' },
);

/**
 * Makes the error handlers of Fastify, of Node's HTTP parser and of the `Expect` header.
 * @param count called with the kind of each error
 * @param docs the `Link` header for those who have no token or know no path: where the interface is described (RFC 8631)
 */
export function createErrorAnswers(count: (kind: string) => void, docs?: string) {
  const told = (error: ApiError): ApiError => {
    count(error.kind);
    return error;
  };
  return {
    answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const answer = told(asApiError(error));
      if (docs !== undefined && strangers.includes(answer.kind)) void reply.header('link', docs);
      answerError(answer, error, request, reply);
    },
    answerClientError: (error: ParseError, socket: Socket, before: ServerResponse[]) =>
      answerClientError(told, error, { socket, before }),
    answerExpectation: (_request: IncomingMessage, response: ServerResponse) =>
      answerExpectation(told(errors.expectationFailed()), response),
  };
}

const strangers = ['tokenMissing', 'tokenInvalid', 'routeNotFound'];

function answerError(answer: ApiError, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (answer.statusCode >= 500) request.log.error({ err: error }, 'request failed');
  const { statusCode, message } = answer;
  // Fastify would close the connection, and a client that still sends its body could not read the error. Node reads on and
  // drops the rest, for as long as a request may last.
  if (reply.hasHeader('connection')) void reply.removeHeader('connection');
  // Hooks do not run for a URL that the router can't read, so the id is set here.
  void reply.header('x-request-id', request.id);
  void reply.code(statusCode).headers(headersOf(answer)).type('application/json; charset=utf-8');
  void reply.serializer(JSON.stringify).send({ statusCode, message });
}

/** Texts for people may change; programs read the error's name in `Error-Code` (Contract: error body). */
function headersOf({ statusCode, kind, headers }: ApiError): Record<string, string> {
  return {
    'error-code': kind,
    ...(statusCode === 401 && { 'www-authenticate': challenge(kind) }),
    ...headers,
  };
}

/** RFC 6750, 3.1: who sent no token is told no error. */
function challenge(kind: string): string {
  return kind === 'tokenMissing' ? 'Bearer' : 'Bearer error="invalid_token"';
}

// A refusal by the bank says nothing about the payment, so the client may retry.
const unavailable = [DatabaseUnavailable, PixUnavailable, PixRefused];

/** @returns the error response: the error's own, or a general one that hides internals */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (unavailable.some((kind) => error instanceof kind)) return errors.unavailable();
  if (error instanceof TookTooLong) return errors.readTookTooLong();
  if (error instanceof RefundKeyReused) return errors.idempotencyKeyReused();
  if (error instanceof TokenRefused) return tokenRefusals[error.refusal]();
  if (error instanceof Refused) return refused(error);
  return fromFastify(error as FastifyError);
}

const byCode: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: errors.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: errors.unsupportedMediaType,
};

function fromFastify(error: FastifyError): ApiError {
  const known = error.code ? byCode[error.code] : undefined;
  if (known) return known();
  const isClients = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
  return isClients ? errors.malformedRequest() : errors.internal();
}

type ParseError = Error & { code?: string };

const ending = new WeakSet<Socket>();

type Exchange = { request: IncomingMessage; response: ServerResponse };

// Clients that send ahead send a few. Each takes some kilobytes, whether it is read or not.
const openAtMost = 100;

/**
 * Remembers which requests of a connection have no response yet. Node sends responses in the order of the requests. A
 * connection on which too many wait is cut: hundreds on each of some connections would fill the memory.
 * @returns the responses to the requests that arrived whole
 */
export function watchExchanges(server: Server): (socket: Socket) => ServerResponse[] {
  const open = new WeakMap<Socket, Exchange[]>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const exchanges = open.get(request.socket);
    if (!exchanges) return void open.set(request.socket, [{ request, response }]);
    while (exchanges[0]?.response.writableFinished) exchanges.shift();
    exchanges.push({ request, response });
    if (exchanges.length > openAtMost) request.socket.destroy();
  });
  return (socket) =>
    (open.get(socket) ?? [])
      .filter(({ request, response }) => request.complete && !response.writableFinished)
      .map(({ response }) => response);
}

/**
 * Responds to invalid HTTP, for which Node's parser makes no request, in the same shape. Requests that came before it on
 * the connection have their own responses first. A client that read the error in their place would create a payment twice.
 */
async function answerClientError(
  told: (error: ApiError) => ApiError,
  error: ParseError,
  { socket, before }: { socket: Socket; before: ServerResponse[] },
): Promise<void> {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  // All that follows on the connection is invalid, too.
  if (ending.has(socket)) return;
  ending.add(socket);
  await Promise.all(before.map((response) => new Promise((resolve) => response.once('close', resolve))));
  if (!socket.writable) return void socket.destroy();
  const { statusCode, message, kind } = told(parseErrors[error.code ?? '']?.() ?? errors.malformedRequest());
  const body = JSON.stringify({ statusCode, message });
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Error-Code: ${kind}\r\nX-Request-Id: ${randomUUID()}\r\nDate: ${new Date().toUTCString()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Responds to an unknown `Expect` header. Node's own 417 has no body. */
function answerExpectation(error: ApiError, response: ServerResponse): void {
  const { statusCode, message } = error;
  const body = JSON.stringify({ statusCode, message });
  const headers = {
    ...headersOf(error),
    'x-request-id': randomUUID(),
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  };
  response.writeHead(statusCode, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

const parseErrors: Record<string, () => ApiError> = {
  HPE_HEADER_OVERFLOW: errors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: errors.requestTimeout,
};
