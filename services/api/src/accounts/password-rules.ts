import { isCommonPassword, type PasswordFault, passwordFault } from '@payments/domain/passwords';

let list: Promise<ReadonlySet<string>> | undefined;

/** @returns the rule that a new password breaks, or undefined for an acceptable one */
export async function newPasswordFault(
  password: string,
  person: { name: string; email: string },
): Promise<PasswordFault | undefined> {
  const fault = passwordFault(password, person);
  if (fault) return fault;
  list ??= commonPasswords();
  return isCommonPassword(password, await list) ? 'common' : undefined;
}

/** Loaded at first use: a start should not wait for it. */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
