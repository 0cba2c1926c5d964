import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { patienceMs } from './patience.ts';
import { type Fields, hexIn, messagesIn, readFields, textIn } from './protobuf.ts';

/** A received span (opentelemetry-proto, trace.proto). */
export type ReceivedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Record<string, string | number>;
};

export type TraceReceiver = {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans: ReceivedSpan[];
  /** Everything received, as text. */
  text(): string;
  /** Resolves when `holds` is true for the received spans. */
  until(what: string, holds: (spans: readonly ReceivedSpan[]) => boolean): Promise<void>;
  close(): Promise<void>;
};

/** Receives traces by OTLP over HTTP, like a collector. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const arrivals = new EventEmitter<{ arrived: [] }>();
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    bodies.push(body.toString('latin1'));
    if (request.url === '/v1/traces') spans.push(...messagesIn(readFields(body), 1).flatMap(spansIn));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    arrivals.emit('arrived');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => bodies.join('\n'),
    until: async (what, holds) => {
      const signal = AbortSignal.timeout(patienceMs);
      while (!holds(spans)) {
        await once(arrivals, 'arrived', { signal }).catch(() => {
          throw new Error(`waited in vain for ${what}: ${spans.map(({ name }) => name).join(', ')}`);
        });
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansIn(resourceSpans: Fields): ReceivedSpan[] {
  const [resource] = messagesIn(resourceSpans, 1);
  const service = String(resource ? attributesIn(resource, 1)['service.name'] : '');
  return messagesIn(resourceSpans, 2).flatMap((scope) =>
    messagesIn(scope, 2).map((span) => ({
      service,
      traceId: hexIn(span, 1),
      spanId: hexIn(span, 2),
      parentSpanId: hexIn(span, 4),
      name: textIn(span, 5),
      attributes: attributesIn(span, 9),
    })),
  );
}

function attributesIn(fields: Fields, number: number): Record<string, string | number> {
  return Object.fromEntries(
    messagesIn(fields, number).map((pair) => {
      const [value] = messagesIn(pair, 2);
      const [integer] = value?.get(3) ?? [];
      return [textIn(pair, 1), integer === undefined ? textIn(value!, 1) : Number(integer)];
    }),
  );
}
