/** What the attempts at an endpoint say of it. A failing one has failed more than once in a row. */
export type Standing = 'proven' | 'unproven' | 'failing';

/** An attempt as the rule of fairness sees it, in flight or wanted. */
export type Claimant = { storeId: string; endpoint: string; standing: Standing };

export type Sizes = {
  /** The most attempts in flight. */
  concurrency: number;
  /** The most attempts in flight to one proven endpoint. */
  perEndpoint: number;
};

/**
 * The rule of fairness: who gets the free slots, stores first, endpoints second.
 *
 * The store that holds least comes first, and of a store the endpoint that holds least. A store may hold twice as many
 * slots as stay free. So a store alone gets two thirds, several share them, and whatever they hold until a time-out,
 * some slots stay free for a store that holds none. Failing endpoints share a quarter of the slots by the same rule.
 * @param wanted due deliveries, the one that has been due longest first
 * @returns the deliveries that may be attempted now, in the order of their turns
 */
export function fairShare<T extends Claimant>(
  wanted: readonly T[],
  inFlight: readonly Claimant[],
  { concurrency, perEndpoint }: Sizes,
): T[] {
  const all = createShare(concurrency, inFlight);
  const failing = createShare(Math.ceil(concurrency / 4), inFlight.filter(isFailing));
  return inTurns(wanted, inFlight, perEndpoint).filter((one) => {
    const shares = isFailing(one) ? [all, failing] : [all];
    const mayHoldMore = shares.every((share) => share.mayHoldMore(one.storeId));
    if (mayHoldMore) for (const share of shares) share.take(one.storeId);
    return mayHoldMore;
  });
}

/** @returns whether a store that holds `held` slots may take one of `free`: the first always, others within its share */
export function mayHoldMore(held: number, free: number): boolean {
  if (free <= 0) return false;
  return held === 0 || held < 2 * (free - 1);
}

const isFailing = ({ standing }: Claimant) => standing === 'failing';

/** The slots of a group, and how many of them each store holds. */
function createShare(size: number, inFlight: readonly Claimant[]) {
  const held = counts(inFlight.map(({ storeId }) => storeId));
  let free = size - inFlight.length;
  return {
    mayHoldMore: (storeId: string) => mayHoldMore(held.of(storeId), free),
    take: (storeId: string) => {
      held.add(storeId);
      free -= 1;
    },
  };
}

/**
 * A failing endpoint has one slot. An unproven one has two, so that one attempt that hangs does not stop it.
 * @returns those within the limits of their endpoints, ordered by what their store, then their endpoint would hold
 */
function inTurns<T extends Claimant>(
  wanted: readonly T[],
  inFlight: readonly Claimant[],
  perEndpoint: number,
): T[] {
  const limits = { proven: perEndpoint, unproven: Math.min(2, perEndpoint), failing: 1 };
  const ofEndpoints = counts(inFlight.map(({ endpoint }) => endpoint));
  const ofStores = counts(inFlight.map(({ storeId }) => storeId));
  return wanted
    .map((one) => ({ one, turn: ofEndpoints.add(one.endpoint) }))
    .filter(({ one, turn }) => turn < limits[one.standing])
    .sort((a, b) => a.turn - b.turn)
    .map(({ one }) => ({ one, turn: ofStores.add(one.storeId) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ one }) => one);
}

/** Counts by key; `add` returns the number before. */
function counts(keys: readonly string[]) {
  const found = new Map<string, number>();
  const of = (key: string) => found.get(key) ?? 0;
  const add = (key: string) => {
    const before = of(key);
    found.set(key, before + 1);
    return before;
  };
  for (const key of keys) add(key);
  return { of, add };
}
