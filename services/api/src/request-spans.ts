import { openSpan, type Span } from '@payments/tracing/tracing';
import { fastifyPlugin } from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/**
 * One span a request, below the one that the caller names by `traceparent`. Registered only where traces are on. Our
 * own, because `@fastify/otel` writes whole URLs and error messages into spans: secrets and personal data.
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
        kind: 'server',
        attributes: { 'http.request.method': method, 'http.route': route },
        parent: typeof traceparent === 'string' ? traceparent : null,
      });
      return request.span ? request.span.within(done) : done();
    });
    // Reading the body leaves the span.
    app.addHook('preValidation', (request, _reply, done) =>
      request.span ? request.span.within(done) : done(),
    );
    app.addHook('onResponse', async ({ span }, { statusCode }) => {
      span?.set({ 'http.response.status_code': statusCode });
      if (statusCode >= 500) span?.failed({ code: String(statusCode) });
      span?.end();
    });
  },
  { name: 'request-spans' },
);
