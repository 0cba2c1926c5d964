import { PixRefused, PixUnavailable } from '@payments/pix/errors';

/** @returns whether the PSP understood the request and refuses it: another try, or another bank, says the same */
export function isVerdict(error: unknown): error is PixRefused {
  return error instanceof PixRefused && !error.aboutAccess;
}

/** @returns whether the PSP was not asked: that says nothing of this charge */
export function isNotAsked(error: unknown): boolean {
  return error instanceof PixUnavailable && error.isNotAsked;
}

/** @returns an error's message, to be stored with the failed work */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
