import { createdAtOf } from '@payments/domain/identifiers';

/** A place in a list that is in the order of ids: so many of the list's rows have lower ids than this. */
export type Place = { id: string; below: number };

/** A page of such a list: its rows have at least `from` rows below them, and less than `to`. */
export type Span = { from: number; to: number };

/** Where to begin to read a page: in this direction, from this id (without it from an end), after so many rows. */
export type Start = { direction: 'asc' | 'desc'; id?: string; skip: number };

/** @returns what skips the least of a list of `total` rows: its newest end, its oldest, or a place that is known */
export function nearestStart({ from, to }: Span, total: number, known: readonly Place[]): Start {
  const starts: Start[] = [
    { direction: 'desc', skip: total - to },
    { direction: 'asc', skip: from },
    ...known.map(({ id, below }): Start => {
      if (below <= from) return { direction: 'asc', id, skip: from - below };
      return { direction: 'desc', id, skip: below < to ? Number.POSITIVE_INFINITY : below - to };
    }),
  ];
  return starts.reduce((nearest, start) => (start.skip < nearest.skip ? start : nearest));
}

/** Reading past this many rows costs about as much as all else about a list. */
export const farAway = 5_000;

const keptMs = 3_600_000;
// A payment may be given an id that was made a day before: that of its Idempotency-Key. And its moves are counted as
// late from 25 hours on (`payments_count_late_move`). What has an id older than both together stays in place, or is counted.
const settledMs = 50 * 3_600_000;
const keptPlaces = 20_000;

export type ListPlaces = {
  /** The places of this list that are known now; none, when `moves` is not what it was as they were read. */
  of(list: string, moves: number): readonly Place[];
  /**
   * Keeps a place for an hour, if no row can come below it any more; `below` must have been exact as it was read.
   * @param moves a number that changes whenever a row that was below a kept place may have left the list, or come to it
   */
  keep(list: string, place: Place, moves: number): void;
};

type List = { since: number; moves: number; places: Place[] };

/** Remembers places far from the ends of lists; when there are many, those of the newest lists. */
export function listPlaces(now: () => Date): ListPlaces {
  const lists = new Map<string, List>();
  let kept = 0;
  const forget = (list: string) => {
    kept -= lists.get(list)?.places.length ?? 0;
    lists.delete(list);
  };
  const current = (list: string, moves: number): List => {
    const since = now().getTime();
    const known = lists.get(list) ?? { since, moves, places: [] };
    if (since - known.since <= keptMs && known.moves === moves) return known;
    forget(list);
    return { since, moves, places: [] };
  };
  return {
    of: (list, moves) => current(list, moves).places,
    keep(list, place, moves) {
      const known = current(list, moves);
      const isSettled = createdAtOf(place.id).getTime() < now().getTime() - settledMs;
      const isNear = ({ below }: Place) => Math.abs(below - place.below) <= farAway;
      if (!isSettled || known.places.some(isNear)) return;
      known.places.push(place);
      lists.set(list, known);
      kept += 1;
      for (const oldest of lists.keys()) if (kept > keptPlaces) forget(oldest);
    },
  };
}
