// A look that finds little takes at most a fifth of the time.
const restsPerLook = 4;
// What a delivery may cost to find: as long as a look pays, it goes on without a rest.
const worthMs = 0.2;

/** @returns how many deliveries were claimed, and how long the database took */
type Look = () => Promise<{ claimed: number; tookMs: number }>;

/**
 * Paces looks behind a backlog: the more endpoints have something pending, the longer a look at all of them takes, so
 * it rests in proportion to what it took in vain.
 * @param wake is called when a look that was asked for meanwhile may be made
 * @returns makes a look, unless one rests, and says how many deliveries it claimed
 */
export function lookBehind(wake: () => void): (look: Look) => Promise<number> {
  let isResting = false;
  let isAsked = false;
  const rest = (ms: number) => {
    setTimeout(() => {
      isResting = false;
      if (isAsked) wake();
    }, ms).unref();
  };
  return async (look) => {
    isAsked = isResting;
    if (isResting) return 0;
    isResting = true;
    let vainMs = 0;
    try {
      const { claimed, tookMs } = await look();
      vainMs = Math.max(0, tookMs - claimed * worthMs);
      return claimed;
    } finally {
      if (vainMs === 0) isResting = false;
      else rest(vainMs * restsPerLook);
    }
  };
}
