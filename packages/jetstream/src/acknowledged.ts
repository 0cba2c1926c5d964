import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from 'nats';

/** NATS is down or did not confirm. The event may or may not be stored; sending it again is safe. */
export class EventsUnavailable extends Error {
  override readonly name = 'EventsUnavailable';
}

/** There is no stream for an event. */
export class StreamMissing extends EventsUnavailable {}

/** JetStream refused to store an event, for the reason in the message. */
export class StreamRefusal extends Error {
  override readonly name = 'StreamRefusal';
}

export type Message = { subject: string; text: string; headers: MsgHdrs };

/**
 * Sends a message and waits until JetStream has stored it.
 * @throws StreamRefusal with JetStream's reason; StreamMissing; EventsUnavailable without an answer within three seconds
 */
export type SendAcknowledged = (message: Message) => Promise<void>;

const deadlineMs = 3_000;

/**
 * All acknowledgements come by one subscription. The client's own `publish` makes a request of each event, at more than
 * twice the cost, and creations would miss their floor.
 */
export function acknowledged(connection: NatsConnection): SendAcknowledged {
  const inbox = createInbox();
  const waiting = new Map<string, (answer: Msg) => void>();
  // After a loss of the connection, the client subscribes again by itself.
  connection.subscribe(`${inbox}.*`, {
    callback: (error, answer) => {
      if (!error) waiting.get(answer.subject)?.(answer);
    },
  });
  let sent = 0;
  return async ({ subject, text, headers }) => {
    sent += 1;
    const reply = `${inbox}.${sent}`;
    const { promise, resolve, reject } = Promise.withResolvers<Msg>();
    const late = setTimeout(() => reject(new EventsUnavailable('JetStream does not answer')), deadlineMs);
    waiting.set(reply, resolve);
    try {
      connection.publish(subject, text, { headers, reply });
      assertStored(await promise);
    } finally {
      clearTimeout(late);
      waiting.delete(reply);
    }
  };
}

/** An answer without data says that no stream has the subject. */
function assertStored(answer: Msg): void {
  if (answer.data.length === 0) throw new StreamMissing('no stream stores the event');
  const { error } = answer.json<{ error?: { description: string } }>();
  if (error) throw new StreamRefusal(error.description);
}
