/** NATS is down or did not confirm. The event may or may not be stored; sending it again is safe. */
export class EventsUnavailable extends Error {
  override readonly name = 'EventsUnavailable';
}

/** JetStream refused to store an event, for the reason in the message. */
export class StreamRefusal extends Error {
  override readonly name = 'StreamRefusal';
}
