/** NATS can't be reached, or did not confirm. What was sent may or may not be stored; sending it again is safe. */
export class EventsUnavailable extends Error {
  override readonly name = 'EventsUnavailable';
}
