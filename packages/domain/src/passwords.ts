/** The rules for a password (OWASP ASVS 2.1: length before composition), and how long guesses slow down the next try. */

export const shortestPassword = 12;
export const longestPassword = 200;

export type PasswordFault = 'too_short' | 'too_long' | 'like_the_person' | 'common';

/** @returns the rule that the password breaks, or undefined for an acceptable one */
export function passwordFault(
  password: string,
  { name, email }: { name: string; email: string },
): PasswordFault | undefined {
  const { length } = [...password];
  if (length < shortestPassword) return 'too_short';
  if (length > longestPassword) return 'too_long';
  const same = [name, email, email.split('@')[0] ?? ''].map(plain);
  const given = plain(password);
  return same.includes(given) || same.includes(core(given)) ? 'like_the_person' : undefined;
}

/**
 * Guessers try the common passwords first, each also with digits and signs around it, and repeated.
 * @param list common passwords in lower case
 */
export function isCommonPassword(password: string, list: ReadonlySet<string>): boolean {
  const given = plain(password);
  return [given, core(given)].some((text) => list.has(text) || list.has(repeated(text)));
}

/** @returns the text without the digits and signs at its ends; empty for a text without letters */
function core(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => /\p{L}/u.test(character);
  return characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1).join('');
}

/** @returns the shortest part whose repetition the text is: the text itself, or `abc` for `abcabcab` */
function repeated(text: string): string {
  for (let length = 1; length < text.length; length += 1)
    if (text.startsWith(text.slice(length))) return text.slice(0, length);
  return text;
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '');
}

/** Failed tries so far, and the time of the last. */
export type Failures = { count: number; lastAt: Date };

const forgottenAfterMs = 60 * 60_000;
const longestWaitMs = 15 * 60_000;

/** Failures without a wait: a person mistypes, and a whole office shares an address. */
export const freeFailures = { person: 5, address: 50 } as const;

/** @returns the time at and before which failures count no more */
export function forgottenBefore(now: Date): Date {
  return new Date(now.getTime() - forgottenAfterMs);
}

/** @returns the failures that still count: none after an hour without one */
export function remembered({ count, lastAt }: Failures, now: Date): number {
  return lastAt <= forgottenBefore(now) ? 0 : count;
}

/** @returns the milliseconds before the next try: none for the free failures, then 1 s, doubled each time up to 15 min */
export function waitMs(failures: Failures, free: number, now: Date): number {
  const beyond = remembered(failures, now) - free;
  if (beyond < 0) return 0;
  const pause = Math.min(longestWaitMs, 1_000 * 2 ** Math.min(beyond, 20));
  return Math.max(0, failures.lastAt.getTime() + pause - now.getTime());
}
