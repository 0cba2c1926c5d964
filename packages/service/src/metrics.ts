import { readBankWaits } from '@payments/database/banks/bank-work';
import { type Database, poolUsage } from '@payments/database/connection';
import { readBacklog } from '@payments/database/operations/backlog';
import { onEventCommitted } from '@payments/database/transaction';
import { watchBacklog } from '@payments/metrics/backlog';
import { watchBankWaits } from '@payments/metrics/banks';
import { type EventMetrics, eventMetrics, watchNats } from '@payments/metrics/events';
import { watchPool } from '@payments/metrics/pool';
import { type PspCall, pspCallMetrics, watchPsp } from '@payments/metrics/psp';
import { createRegistry, type Registry } from '@payments/metrics/registry';
import type { Banks } from '@payments/pix/banks';
import { parkedAfterMs } from '@payments/webhooks/endpoint-health';

/** The metrics of both services. */
export type ServiceMetrics = {
  register: Registry;
  events: EventMetrics;
  pspCalled: (bank: string, call: PspCall) => void;
  /** Shows the state of a service's connections, once they exist. */
  watch(parts: WatchedParts): void;
};

export type WatchedParts = {
  db: Database;
  banks: Banks;
  isNatsConnected: () => boolean;
  now: () => Date;
};

const backlogTimeoutMs = 2_000;

export function serviceMetrics(): ServiceMetrics {
  const register = createRegistry();
  const events = eventMetrics(register);
  return {
    register,
    events,
    pspCalled: pspCallMetrics(register),
    watch: ({ db, banks, isNatsConnected, now }) => {
      onEventCommitted(db, ({ event: { type, payment } }) =>
        events.committed({ type, status: payment.status }),
      );
      watchPool(register, () => poolUsage(db));
      const backlog = () => readBacklog(db, { timeoutMs: backlogTimeoutMs, parkedAfterMs, now: now() });
      watchBacklog(register, backlog, now);
      watchBankWaits(register, () => bankWaits(db, banks), now);
      watchPsp(register, () => banks.all().map(({ id, client: { breakers } }) => ({ id, breakers })));
      watchNats(register, isNatsConnected);
    },
  };
}

async function bankWaits(db: Database, banks: Banks) {
  const waits = await readBankWaits(db, backlogTimeoutMs);
  return waits.map((wait) => ({ ...wait, isConfigured: banks.find(wait.id) !== undefined }));
}
