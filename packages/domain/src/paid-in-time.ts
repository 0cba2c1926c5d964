/** How far the PSP's clock may be from ours and still be believed. */
export const clockSkewMs = 2 * 60_000;

/**
 * @param paidAt the Pix's `horario`, by the PSP's clock
 * @returns the time that counts: `horario`, or ours where it lies before the payment or in the future, which no skew of
 *   clocks explains
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
 * @param ours until when the charge was to be paid
 * @param charge as the PSP shows it, by its own clock, which its `horario` goes by, too
 * @returns the end by the PSP's clock; ours where the PSP gives none, or one further off than clocks differ
 */
export function believedDeadline(
  ours: Date,
  { createdAt, expiresInSeconds }: { createdAt: Date | null; expiresInSeconds: number | null },
): Date {
  if (createdAt === null || expiresInSeconds === null) return ours;
  const theirs = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
  return Math.abs(theirs.getTime() - ours.getTime()) <= clockSkewMs ? theirs : ours;
}
