import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type AccountWithSecrets, findAccountByEmail } from '@payments/database/accounts/accounts';
import {
  isCommonPassword,
  longestPassword,
  type PasswordFault,
  passwordFault,
  shortestPassword,
} from '@payments/domain/passwords';
import type { FastifyReply } from 'fastify';
import pLimit from 'p-limit';
import { textField } from '../../administration/kit/forms.ts';
import type { PeopleContext } from '../../context.ts';
import { atMostEach } from '../../http/bounds.ts';
import { errors } from '../../http/errors/errors.ts';
import type { SafeHtml } from '../../pages/html.ts';
import { countTry, inTurn, type SignInAttempt } from './known-place.ts';

/** Passwords: judged at a sign-in or as a proof, refused when they are bad, and kept as hashes. */

/** After a wrong password, the account is for the record alone: the person must not learn whether there is one. */
export type PasswordVerdict =
  | { waitMs: number }
  | { isRight: true; account: AccountWithSecrets }
  | { isRight: false; account: AccountWithSecrets | undefined };

type Context = Pick<PeopleContext, 'db' | 'now' | 'signInTurns'>;

/** Judges an e-mail and a password. An unknown e-mail takes as long and is refused as a wrong password is. */
export function checkPassword(
  context: Context,
  attempt: SignInAttempt,
  password: string,
): Promise<PasswordVerdict> {
  return inTurn(context, attempt, () => judgePassword(context, attempt, password));
}

async function judgePassword(
  context: Context,
  attempt: SignInAttempt,
  password: string,
): Promise<PasswordVerdict> {
  const { waitMs, forgive } = await countTry(context, attempt, 'password');
  if (waitMs > 0) return { waitMs };
  const account = await findAccountByEmail(context.db, attempt.email.trim());
  const isRight = await isPassword(password, account?.active ? account.password : null);
  if (!account || !isRight) return { isRight: false, account };
  await forgive();
  return { isRight: true, account };
}

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

const derive = promisify(argon2);

// OWASP's parameters for Argon2id: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
// Each takes 19 MiB and a thread that DNS and files need, too. A sign-in waits for no new password. The accounts' new
// passwords take turns, since the holder of one invitation may ask for any number.
const checking = pLimit(2);
const making = atMostEach({ all: { running: 1, waiting: 400 }, each: { running: 1, waiting: 9 } });
const retrySeconds = 1;

/**
 * Makes an account's new passwords one at a time.
 * @returns the password's Argon2id hash with its parameters, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`
 * @throws ApiError 429 if too many of the account wait
 */
export async function hashPassword(password: string, accountId: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await making(accountId, () => tagOf(password, { ...cost, nonce: salt, tagLength }));
  if (!tag) throw errors.tooManyRequests(retrySeconds);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

// Nobody's password: an account without one takes as long to refuse.
const nobodys = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(randomBytes(16))}$${base64(randomBytes(tagLength))}`;

/** @param stored null for an account that does not exist or has no password: it takes the same time */
export async function isPassword(given: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(stored ?? nobodys) ?? [];
  const expected = Buffer.from(tag, 'base64');
  const parameters = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
  };
  const made = await checking(() => tagOf(given, parameters));
  return timingSafeEqual(made, expected) && stored !== null;
}

// A keyboard writes a letter in eight units at most. The time of the normal form grows with the square of the length.
const longestMessage = 8 * longestPassword;

function tagOf(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  // One form for a letter that keyboards write in two ways. A text longer than any password is wrong in every form.
  const message = password.length > longestMessage ? password : password.normalize('NFKC');
  return derive('argon2id', { ...parameters, message });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** Words and fields of the pages where people prove who they are. */

/** Milliseconds to wait, if there were too many tries; else the reason for the refusal. */
export type Refusal = { waitMs: number } | { reason: string };

/** Sets the reply's status. @returns the message for a person who must wait */
export function tooManyTries(reply: FastifyReply, waitMs: number): string {
  const waitSeconds = Math.ceil(waitMs / 1_000);
  void reply.code(429).header('retry-after', String(waitSeconds));
  const count = waitSeconds < 60 ? waitSeconds : Math.ceil(waitSeconds / 60);
  const unit = waitSeconds < 60 ? 'segundo' : 'minuto';
  return `Muitas tentativas. Tente de novo em ${count} ${unit}${count === 1 ? '' : 's'}.`;
}

/** The message once too many codes were wrong. */
export const codesStopped =
  'Houve códigos errados demais, e os do aplicativo não entram mais. Use um código de recuperação, ou peça um convite novo. Se não foi você, alguém sabe a sua senha: troque-a.';

export const passwordFaults: Record<PasswordFault, string> = {
  too_short: `Use pelo menos ${shortestPassword} caracteres.`,
  too_long: `Use no máximo ${longestPassword} caracteres.`,
  like_the_person: 'A senha não pode ser o seu nome nem o seu e-mail.',
  common: 'Esta senha é uma das mais usadas, que são as primeiras que alguém tenta. Escolha outra.',
};

/** The field for a new password, with its rule. */
export function newPasswordField(label: string, error: string | undefined): SafeHtml {
  return textField({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: `Pelo menos ${shortestPassword} caracteres; não o seu nome, o seu e-mail nem uma senha comum.`,
    error,
    required: true,
  });
}
