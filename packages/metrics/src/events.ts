import { Counter } from 'prom-client';
import type { Registry } from './registry.ts';

/** Events on their way: committed with a change, published to JetStream, heard by a dispatcher. */
export function eventMetrics(register: Registry) {
  const registers = [register];
  const committed = new Counter({
    name: 'payments_events_committed_total',
    help: 'Events committed by this process, by type and the status that the payment then had',
    labelNames: ['type', 'status'],
    registers,
  });
  const published = new Counter({
    name: 'payments_events_published_total',
    help: 'Events that JetStream confirmed to this process',
    registers,
  });
  const heard = new Counter({
    name: 'payments_events_heard_total',
    help: 'Events that this process heard of as they were published',
    registers,
  });
  return {
    committed: (event: { type: string; status: string }) => committed.inc(event),
    published: (count: number) => published.inc(count),
    heard: () => heard.inc(),
  };
}
