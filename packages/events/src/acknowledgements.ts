import { createInbox, type Msg, type NatsConnection, type NatsError } from 'nats';
import type { EventsConnection } from './connection.ts';

/** Hears once whether JetStream said that it has stored a message, and why it did not, where it told. */
export type Heard = (isStored: boolean, refusal?: string) => void;

/** Where JetStream answers what a connection publishes: one subscription, and a subject of its own for each message. */
export type Acknowledgements = {
  /** @returns the subject that JetStream is to answer on */
  expect(heard: Heard): string;
  /** Waits no longer for these, all unless told: they count as not stored. */
  giveUp(subjects?: Iterable<string>): void;
};

const opened = new WeakMap<EventsConnection, Acknowledgements>();

/**
 * Not the client's own `jetstream().publish`, which is a request per message, each with a timer and stack traces.
 * @throws EventsUnavailable while NATS is away
 */
export function acknowledgementsOf(connection: EventsConnection): Acknowledgements {
  const nats = connection.ready();
  const known = opened.get(connection);
  if (known) return known;
  const made = openInbox(nats);
  opened.set(connection, made);
  // The server forgets whom to answer with the connection.
  connection.onDisconnect(() => made.giveUp());
  return made;
}

function openInbox(nats: NatsConnection): Acknowledgements {
  const inbox = createInbox();
  const waiting = new Map<string, Heard>();
  let expected = 0;
  let isSubscribed = false;
  const hear = (subject: string, isStored: boolean, refusal?: string) => {
    const heard = waiting.get(subject);
    waiting.delete(subject);
    heard?.(isStored, refusal);
  };
  const giveUp = (subjects: Iterable<string> = [...waiting.keys()]) => {
    for (const subject of subjects) hear(subject, false);
  };
  const callback = (error: NatsError | null, message: Msg) => {
    if (!error) return hear(message.subject, ...judge(message));
    // The server does not allow it, and the client has dropped it.
    isSubscribed = false;
    giveUp();
  };
  return {
    expect: (heard) => {
      if (!isSubscribed) nats.subscribe(`${inbox}.*`, { callback });
      isSubscribed = true;
      expected += 1;
      const subject = `${inbox}.${expected.toString(36)}`;
      waiting.set(subject, heard);
      return subject;
    },
    giveUp,
  };
}

/** An answer without a body says that nobody listens (status 503): no stream takes that subject. */
function judge(answer: Msg): Parameters<Heard> {
  if (answer.data.length === 0) return [false];
  try {
    const { stream, error } = JSON.parse(answer.string());
    const isStored = typeof stream === 'string' && stream !== '' && !error;
    return isStored ? [true] : [false, error?.description];
  } catch {
    return [false];
  }
}
