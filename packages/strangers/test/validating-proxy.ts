import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import * as validator from 'express-openapi-validator';

type OpenApiDocument = Parameters<typeof validator.middleware>[0]['apiSpec'];

/** One way in which an exchange departs from the document. */
export type Violation = { of: 'request' | 'response'; operation: string; status: number; what: string };

export type ValidatingProxy = {
  url: string;
  /** How often each operation was called and answered with which status. */
  exchanges: Map<string, number>;
  violations: Violation[];
  close(): Promise<void>;
};

type Seen = Request & {
  openapi?: { openApiRoute: string };
  sent?: Buffer;
  refused?: string;
  failed?: string;
};

/**
 * Passes everything on as it came, and holds it against an OpenAPI document on the way, with a validator that is not
 * ours (express-openapi-validator). It judges no answer of 500 or more, and no body but JSON.
 * @param document its `servers` must be `/`
 * @param target where requests go; asked at each request
 */
export async function startValidatingProxy(document: object, target: () => string): Promise<ValidatingProxy> {
  const exchanges = new Map<string, number>();
  const violations: Violation[] = [];
  const app = express().disable('x-powered-by').disable('etag');
  app.use(
    express.json({ verify: keep, strict: false, limit: '2mb' }),
    express.raw({ type: '*/*', verify: keep }),
  );
  const requests = express.Router().use(...validatorOf(document, 'request'));
  app.use((request: Seen, response, next) =>
    requests(request, response, (error?: unknown) => {
      if (error instanceof Error) request.refused = error.message;
      next();
    }),
  );
  app.use(...validatorOf(document, 'response'));
  const pass: RequestHandler = (request: Seen, response, next) => {
    forward(request, response, target())
      .then(() => {
        const operation = `${request.method} ${request.openapi?.openApiRoute ?? request.path}`;
        const { statusCode: status } = response;
        const named = `${operation} ${status}`;
        exchanges.set(named, (exchanges.get(named) ?? 0) + 1);
        const { refused, failed } = request;
        if (refused) violations.push({ of: 'request', operation, status, what: refused });
        if (failed) violations.push({ of: 'response', operation, status, what: failed });
      })
      .catch(next);
  };
  const note: ErrorRequestHandler = (error: Error, request: Seen, response, next) => {
    request.refused = error.message;
    pass(request, response, next);
  };
  app.use(pass, note);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    violations,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function keep(request: IncomingMessage, _response: unknown, body: Buffer): void {
  (request as Seen).sent = body;
}

function validatorOf(document: object, part: 'request' | 'response'): RequestHandler[] {
  return validator.middleware({
    apiSpec: structuredClone(document) as OpenApiDocument,
    // Linters judge the documents themselves; and the Central Bank's would not pass.
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: part === 'request' && { allErrors: true },
    validateResponses: part === 'response' && {
      allErrors: true,
      onError: (error, _body, request) => {
        (request as Seen).failed = error.message;
      },
    },
  }) as unknown as RequestHandler[];
}

// Each connection has its own, and the body is sent with its own length.
const hopByHop = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
  'content-encoding',
];

async function forward({ method, originalUrl, headers, sent }: Seen, response: Response, target: string) {
  const passed = Object.entries(headers).filter(([name]) => !hopByHop.includes(name)) as [string, string][];
  const answer = await fetch(target + originalUrl, {
    method,
    headers: passed,
    redirect: 'manual',
    ...(sent && sent.length > 0 && { body: new Uint8Array(sent) }),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  response.status(answer.status);
  for (const [name, value] of answer.headers) if (!hopByHop.includes(name)) response.setHeader(name, value);
  const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '');
  if (isJson && body.length > 0 && method !== 'HEAD') response.json(JSON.parse(body.toString('utf8')));
  else response.end(body);
}
