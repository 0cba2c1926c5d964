import { Counter } from 'prom-client';
import { gauge, type Registry } from './registry.ts';

export type EventMetrics = {
  committed(event: { type: string; status: string }): void;
  published(count: number): void;
  consumed(count: number): void;
};

/** Counts events: committed with a change, published to JetStream, consumed from it. */
export function eventMetrics(register: Registry): EventMetrics {
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
  const consumed = new Counter({
    name: 'payments_events_consumed_total',
    help: 'Events that this process consumed from JetStream',
    registers,
  });
  return {
    committed: ({ type, status }) => committed.inc({ type, status }),
    published: (count) => published.inc(count),
    consumed: (count) => consumed.inc(count),
  };
}

/** Shows whether NATS is connected. */
export function watchNats(register: Registry, isConnected: () => boolean): void {
  gauge(register, 'payments_nats_up', '1 while NATS is connected', () => Number(isConnected()));
}
