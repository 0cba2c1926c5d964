import { pause } from './request.ts';
import type { EventList, EventType, FeedEvent, StoreEvent } from './types.ts';

/** Keeps a place in the feed, in a file or a database of yours. */
export type CursorKeeper = {
  /** @returns the place that was kept; undefined, null and an empty text begin with the first event */
  load(): Place | Promise<Place>;
  save(cursor: string): void | Promise<void>;
};

type Place = string | null | undefined;

export type EventsOptions = {
  /** Without one, each call begins with the first event. */
  cursor?: CursorKeeper;
  type?: EventType;
  /** Without a kept cursor, begins later: a date-time with its offset, or a day of São Paulo. */
  from?: string;
  /** True ends the iteration when nothing is new; else it asks again and again. */
  untilNow?: boolean;
  /** Pause once nothing is new; 2 seconds by default. */
  intervalMs?: number;
  signal?: AbortSignal;
};

type Read = (query: { after?: string; from?: string; type?: EventType; limit: number }) => Promise<EventList>;

const largestPage = 200;

/**
 * Yields every event of the store, oldest first. The cursor is kept once all events of a page were taken and the next
 * one is asked for: after a crash, that page comes again, under the same ids.
 */
export async function* eachEvent(
  read: Read,
  { cursor, from, type, untilNow = false, intervalMs = 2_000, signal }: EventsOptions,
): AsyncGenerator<FeedEvent, void, undefined> {
  let after = (await cursor?.load()) || undefined;
  for (;;) {
    const begin = after === undefined ? from && { from } : { after };
    const { items, next } = await read({ limit: largestPage, ...begin, ...(type && { type }) });
    for (const { body, ...event } of items) yield { ...event, body: body as StoreEvent };
    // A page may be empty before the last one, where `type` and `from` leave many out: then `next` has moved.
    if (next !== after) {
      await cursor?.save(next);
      after = next;
      continue;
    }
    if (untilNow) return;
    await pause(intervalMs, signal);
  }
}
