import { dictionary } from '@zxcvbn-ts/language-common';

/** The passwords that guessers try first, in lower case. Import this file on demand: it takes 17 MB. */
export const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);
