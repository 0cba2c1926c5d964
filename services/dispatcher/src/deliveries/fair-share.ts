/** The verdict of the attempts at an endpoint. A failing one has failed more than once in a row. */
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
 * some slots stay free for a store that holds none. Endpoints that are not proven may hang: they share half of the
 * slots by the same rule, and failing ones a quarter, so that a store's own proven endpoints have slots beside them.
 * @param wanted due deliveries, the one that has been due longest first
 * @returns the deliveries that may be attempted now, in the order of their turns
 */
export function fairShare<T extends Claimant>(
  wanted: readonly T[],
  inFlight: readonly Claimant[],
  { concurrency, perEndpoint }: Sizes,
): T[] {
  const shares = createShares(concurrency, inFlight);
  return inTurns(wanted, inFlight, perEndpoint).filter(({ storeId, standing }) => {
    const mayTake = shares[standing].every((share) => share.mayTake(storeId));
    if (mayTake) for (const share of shares[standing]) share.take(storeId);
    return mayTake;
  });
}

/** @returns the stores that get no other slot now for an endpoint of this standing */
export function fullStores(
  standing: Standing,
  inFlight: readonly Claimant[],
  { concurrency }: Pick<Sizes, 'concurrency'>,
): string[] {
  const shares = createShares(concurrency, inFlight)[standing];
  const stores = [...new Set(inFlight.map(({ storeId }) => storeId))];
  return stores.filter((storeId) => !shares.every((share) => share.mayTake(storeId)));
}

/**
 * A store that holds no slot gets a free one in any case. Another takes one as long as it then holds at most twice as many
 * slots as stay free.
 * @returns whether a store that holds `held` slots may take one of `free`
 */
export function mayHoldMore(held: number, free: number): boolean {
  if (free <= 0) return false;
  return held === 0 || held < 2 * (free - 1);
}

/** The parts of the slots that an attempt takes one of, by the standing of its endpoint. */
function createShares(concurrency: number, inFlight: readonly Claimant[]) {
  const share = (part: number, ...standings: Standing[]) =>
    createShare(
      Math.ceil(concurrency * part),
      inFlight.filter(({ standing }) => standings.includes(standing)),
    );
  const all = share(1, 'proven', 'unproven', 'failing');
  const unproven = share(1 / 2, 'unproven', 'failing');
  const failing = share(1 / 4, 'failing');
  return { proven: [all], unproven: [all, unproven], failing: [all, unproven, failing] };
}

/** Some of the slots, and how many of them each store holds. */
function createShare(size: number, inFlight: readonly Claimant[]) {
  const held = counts(inFlight.map(({ storeId }) => storeId));
  let free = size - inFlight.length;
  return {
    mayTake: (storeId: string) => mayHoldMore(held.of(storeId), free),
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
