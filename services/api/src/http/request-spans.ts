import { failed, openSpan, type Span, SpanKind, within } from '@payments/tracing/tracing';
import { fastifyPlugin } from 'fastify-plugin';

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
