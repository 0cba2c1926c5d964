import { isCommonPassword, type PasswordFault, passwordFault } from '@payments/domain/passwords';

// Loaded at first use: a start should not wait for it.
const list = () => import('./common-passwords.ts');

/** @returns the rule that a new password breaks, or undefined for an acceptable one */
export async function newPasswordFault(
  password: string,
  person: { name: string; email: string },
): Promise<PasswordFault | undefined> {
  const fault = passwordFault(password, person);
  if (fault) return fault;
  const { commonPasswords } = await list();
  return isCommonPassword(password, commonPasswords) ? 'common' : undefined;
}
