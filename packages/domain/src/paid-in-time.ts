/** The largest difference between the PSP's clock and ours that is believed. */
export const clockSkewMs = 2 * 60_000;

type Between = { createdAt: Date; receivedAt: Date };

function isPossible(paidAt: Date, { createdAt, receivedAt }: Between): boolean {
  const earliest = createdAt.getTime() - clockSkewMs;
  const latest = receivedAt.getTime() + clockSkewMs;
  return paidAt.getTime() >= earliest && paidAt.getTime() <= latest;
}

/**
 * Reads a `horario` that two meanings fit, since its zone is in doubt.
 * @param otherwise the other meaning; undefined where there is only one
 * @returns the other meaning if it alone lies between the payment's creation and now
 */
export function possibleTime(paidAt: Date, otherwise: Date | undefined, between: Between): Date {
  if (otherwise === undefined || isPossible(paidAt, between)) return paidAt;
  return isPossible(otherwise, between) ? otherwise : paidAt;
}

/**
 * @param paidAt the Pix's `horario`, by the PSP's clock
 * @returns the `horario`; our time if the `horario` lies before the payment or in the future by more than the skew
 */
export function believedTime(paidAt: Date, between: Between): Date {
  return isPossible(paidAt, between) ? paidAt : between.receivedAt;
}

/**
 * @param ours the charge's deadline by our clock
 * @param charge as the PSP shows it, by its own clock, like the `horario`
 * @returns the deadline by the PSP's clock; ours if the PSP gives none, or one that is off by more than the skew
 */
export function believedDeadline(
  ours: Date,
  { createdAt, expiresInSeconds }: { createdAt: Date | null; expiresInSeconds: number | null },
): Date {
  if (createdAt === null || expiresInSeconds === null) return ours;
  const theirs = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
  return Math.abs(theirs.getTime() - ours.getTime()) <= clockSkewMs ? theirs : ours;
}
