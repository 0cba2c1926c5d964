/** The pauses between the tries of a mail. Pure. */

const firstMs = 5_000;
const longestMs = 60_000;

/**
 * @param attempts tries made, at least 1
 * @param random uniform in 0..1: mails that failed together do not come back together
 * @returns the milliseconds until the next try: they double, up to a minute
 */
export function pauseMs(attempts: number, random: number): number {
  const scheduled = Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 10));
  return Math.round(scheduled * (0.8 + 0.2 * random));
}

/** How long a mail is tried before it has failed: nobody needs it any more. */
export const givenUpAfterMs = 3 * 24 * 60 * 60_000;
