import { readBacklog } from '@payments/database/backlog';
import { readBankWaits } from '@payments/database/banks/bank-work';
import { type Database, poolUsage } from '@payments/database/connection';
import { watchBacklog } from '@payments/metrics/backlog';
import { watchBankWaits } from '@payments/metrics/banks';
import { eventMetrics } from '@payments/metrics/events';
import { watchPool } from '@payments/metrics/pool';
import { pspCallMetrics, watchPsp } from '@payments/metrics/psp';
import { createRegistry, gauge } from '@payments/metrics/registry';
import type { Banks } from '@payments/pix/banks';
import { type BreakerView, failureWithin } from '@payments/pix/breaker';
import type { PixClient } from '@payments/pix/client';
import { parkedAfterMs } from '@payments/webhooks/endpoint-health';

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

type WatchedParts = {
  db: Database;
  banks: Banks;
  isNatsConnected: () => boolean;
  now: () => Date;
  clockDifferenceMs: () => number;
};

const backlogTimeoutMs = 2_000;
// A charge that waits for its code is tried again sooner.
const openForMs = 60_000;

/** The metrics of both services. */
export function serviceMetrics() {
  const register = createRegistry();
  const events = eventMetrics(register);
  return {
    register,
    events,
    pspCalled: pspCallMetrics(register),
    /** Shows the state of a service's connections, once they exist. */
    watch: ({ db, banks, isNatsConnected, now, clockDifferenceMs }: WatchedParts) => {
      db.listeners.push(({ event: { type, payment } }) => events.committed({ type, status: payment.status }));
      watchPool(register, () => poolUsage(db));
      const backlog = () => readBacklog(db, { timeoutMs: backlogTimeoutMs, parkedAfterMs, now: now() });
      watchBacklog(register, backlog, now);
      watchBankWaits(register, () => bankWaits(db, banks), now);
      watchPsp(register, () => banks.all().map(({ id, client }) => ({ id, states: states(client, now()) })));
      gauge(
        register,
        'payments_clock_difference_seconds',
        'How far this machine’s clock is ahead of PostgreSQL’s, negative if it is behind',
        () => clockDifferenceMs() / 1_000,
      );
      gauge(register, 'payments_nats_up', '1 while NATS is connected', () => Number(isNatsConnected()));
    },
  };
}

async function bankWaits(db: Database, banks: Banks) {
  const waits = await readBankWaits(db, backlogTimeoutMs);
  return waits.map((wait) => ({ ...wait, isConfigured: banks.find(wait.id) !== undefined }));
}

/** An open breaker counts as closed once its last failure is old: without calls it would stay open for ever. */
function states({ breakers }: Pick<PixClient, 'breakers'>, now: Date) {
  const stateOf = (breaker: BreakerView) =>
    failureWithin(openForMs, breaker, now) ? breaker.state() : 'closed';
  return Object.fromEntries(Object.entries(breakers).map(([name, breaker]) => [name, stateOf(breaker)]));
}
