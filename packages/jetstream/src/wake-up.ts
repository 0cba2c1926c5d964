import type { Subscription } from 'nats';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { deliveryHeader } from './publish.ts';
import { subjectPrefix } from './stream.ts';

export type WakeUpOptions = {
  connection: EventsConnection;
  /** Called when an event may have a delivery that is due. */
  onDeliveries: () => void;
  /** Called once for each event. */
  onEvent?: () => void;
  log: Logger;
};

const dispatchers = 'dispatchers';

/**
 * Listens to events as they are published; each wakes one of the dispatchers. An event is no work item: its delivery is
 * in the database, and the dispatchers' poll finds those without a wake-up. So there is no consumer to acknowledge to.
 */
export function startWakeUp({ connection, onDeliveries, onEvent, log }: WakeUpOptions): { stop(): void } {
  let subscription: Subscription | undefined;
  let stopped = false;
  const subscribe = () => {
    // The NATS client subscribes again after each loss of the connection.
    if (stopped || (subscription && !subscription.isClosed())) return;
    subscription = connection.ready().subscribe(`${subjectPrefix(connection.stream)}.>`, {
      queue: dispatchers,
      callback: (error, message) => {
        if (error) return log.warn({ err: error }, 'NATS does not let this dispatcher listen to events');
        if (message.headers?.get(deliveryHeader) !== 'none') onDeliveries();
        onEvent?.();
      },
    });
  };
  connection.onReconnect(subscribe);
  return {
    stop: () => {
      stopped = true;
      subscription?.unsubscribe();
    },
  };
}
