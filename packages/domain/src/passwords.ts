/** The rules for a password (OWASP ASVS 2.1: length before composition). */

export const shortestPassword = 12;
export const longestPassword = 200;

export type PasswordFault = 'too_short' | 'too_long' | 'like_the_person';

/** @returns the rule that the password breaks, or undefined for an acceptable one */
export function passwordFault(
  password: string,
  { name, email }: { name: string; email: string },
): PasswordFault | undefined {
  const { length } = [...password];
  if (length < shortestPassword) return 'too_short';
  if (length > longestPassword) return 'too_long';
  const same = [name, email, email.split('@')[0] ?? ''].map(plain);
  return same.includes(plain(password)) ? 'like_the_person' : undefined;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s/g, '');
}
