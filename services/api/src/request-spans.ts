import { openSpan, type Span } from '@payments/tracing/tracing';
import { fastifyPlugin } from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/**
 * Makes one span per request, as a child of the caller's `traceparent`. Registered only if traces are on.
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
        kind: 'server',
        attributes: { 'http.request.method': method, 'http.route': route },
        parent: typeof traceparent === 'string' ? traceparent : null,
      });
      return request.span ? request.span.within(done) : done();
    });
    // Reading the body loses the async context, so the span is entered again here.
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
