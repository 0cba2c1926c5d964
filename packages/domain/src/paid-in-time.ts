/** The largest difference between the PSP's clock and ours that is believed. */
export const clockSkewMs = 2 * 60_000;

/**
 * @param paidAt the Pix's `horario`, by the PSP's clock
 * @returns the `horario`; our time if the `horario` lies before the payment or in the future by more than the skew
 */
export function believedTime(
  paidAt: Date,
  { createdAt, receivedAt }: { createdAt: Date; receivedAt: Date },
): Date {
  const earliest = createdAt.getTime() - clockSkewMs;
  const latest = receivedAt.getTime() + clockSkewMs;
  const isPossible = paidAt.getTime() >= earliest && paidAt.getTime() <= latest;
  return isPossible ? paidAt : receivedAt;
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
