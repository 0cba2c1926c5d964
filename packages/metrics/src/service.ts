import type { Database } from '@payments/database/connection';
import { onEventCommitted } from '@payments/database/transaction';
import type { BreakerState, PixCall } from '@payments/pix/client';
import { watchBacklog } from './backlog.ts';
import { type EventMetrics, eventMetrics, watchNats } from './events.ts';
import { watchPool } from './pool.ts';
import { pspCallMetrics, watchPsp } from './psp.ts';
import { createRegistry, type Registry } from './registry.ts';

/** What both services measure. */
export type ServiceMetrics = {
  register: Registry;
  events: EventMetrics;
  pspCalled: (call: PixCall) => void;
  /** Shows the state of what a service works with, once that is there. */
  watch(parts: WatchedParts): void;
};

export type WatchedParts = {
  db: Database;
  pix: { breakerState(): BreakerState };
  isNatsConnected: () => boolean;
  now: () => Date;
};

export function serviceMetrics(): ServiceMetrics {
  const register = createRegistry();
  const events = eventMetrics(register);
  return {
    register,
    events,
    pspCalled: pspCallMetrics(register),
    watch: ({ db, pix, isNatsConnected, now }) => {
      onEventCommitted(db, ({ event: { type, payment } }) =>
        events.committed({ type, status: payment.status }),
      );
      watchPool(register, db);
      watchBacklog(register, db, now);
      watchPsp(register, pix.breakerState);
      watchNats(register, isNatsConnected);
    },
  };
}
