import type { Account } from '@payments/database/accounts/accounts';
import type { Judged } from '@payments/database/accounts/sessions';
import {
  type Counter,
  claimAttempt,
  forgiveAttempt,
  knownPlaces,
  rememberPlaces,
} from '@payments/database/accounts/sign-in-attempts';
import type { Queryable } from '@payments/database/connection';
import type { ChangeAction, ChangedValues } from '@payments/database/record/change-actions';
import { inTransaction } from '@payments/database/transaction';
import { freeFailures } from '@payments/domain/passwords';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorAs, browserName, browserOf, type Person } from '../../access/actor.ts';
import { hashOf, newSecretToken } from '../../access/secrets.ts';
import { recordAct } from '../../administration/record/actions.ts';
import type { PeopleContext } from '../../context.ts';
import { atMostEach, networkOf } from '../../http/bounds.ts';
import { tellAccess } from '../mails/personal-mails.ts';
import { cookieAttributes } from '../sessions/sessions.ts';

export type SignInPlace = {
  address: string;
  /** The secret of the browser's cookie; undefined in a browser that never signed in. */
  browser: string | undefined;
};

/** A try to sign in: the account, and from where. */
export type SignInAttempt = SignInPlace & {
  /** As typed. */
  email: string;
};

const cookieName = 'panel_browser';
// A signature is good for the value of any cookie: whoever asks for a form gets a signed one that is no browser's.
const browserStart = 'browser.';
// The longest that browsers keep a cookie.
const keptMs = 400 * 24 * 60 * 60_000;

export function placeOf(request: FastifyRequest): SignInPlace {
  const { valid, value } = request.unsignCookie(request.cookies[cookieName] ?? '');
  return { address: request.ip, browser: valid && value?.startsWith(browserStart) ? value : undefined };
}

/** @returns the sign-in that a request tries, and from where */
export function attemptOf(request: FastifyRequest, email: string): SignInAttempt {
  return { email, ...placeOf(request) };
}

/** @returns the keys under which the account's places are known: the browser, if it signed in before, and the address */
export function placesOf({ email, address, browser }: SignInAttempt): Buffer[] {
  const person = folded(email);
  const ofAddress = hashOf('address', person, networkOf(address));
  return browser === undefined ? [ofAddress] : [hashOf('browser', person, browser), ofAddress];
}

/**
 * Remembers address and browser of a complete sign-in: failures elsewhere do not slow it down there.
 * @returns whether the place is new: a browser that did not sign in before, nor another of its name at this address
 */
export async function rememberPlace(
  { adminUrl, now: clock }: Pick<PeopleContext, 'adminUrl' | 'now'>,
  trx: Queryable,
  reply: FastifyReply,
  email: string,
): Promise<boolean> {
  const attempt = attemptOf(reply.request, email);
  const browser = attempt.browser ?? browserStart + newSecretToken().token;
  const maxAge = keptMs / 1_000;
  void reply.setCookie(cookieName, browser, { ...cookieAttributes({ adminUrl }), maxAge });
  const places = placesOf({ ...attempt, browser });
  // A browser that keeps no cookies is not a new one each time.
  const named = hashOf(
    'named',
    folded(email),
    networkOf(attempt.address),
    browserName(browserOf(reply.request)),
  );
  const ofBrowser = [places[0] ?? named, named];
  const isNew = (await knownPlaces(trx, ofBrowser)).length === 0;
  const now = clock();
  const oldest = new Date(now.getTime() - keptMs);
  await rememberPlaces(trx, [...places, named], { now, oldest });
  return isNew;
}

type Context = Pick<PeopleContext, 'db' | 'now' | 'signInTurns'>;

// A try takes a connection for moments, and the processor for the time of a password's hash.
const turns = { all: { running: 4, waiting: 400 }, each: { running: 1, waiting: 49 } };
const refusedMs = 1_000;

/**
 * Bounds tries of each address, and of all, in this process: without it, guesses take what other work needs. Browsers
 * that signed in before have turns of their own, so that strangers, however many addresses they have, take none of them.
 * So have tries that wait for the issuer of the single sign-on: while it hangs, passwords still open the panel.
 */
export function signInTurns() {
  const ofAll = () => ({ strangers: atMostEach(turns), known: atMostEach(turns) });
  return { here: ofAll(), issuer: ofAll() };
}

/**
 * Judges a try in the turn of its address.
 * @param where the try is judged
 * @returns the milliseconds to wait if too many tries of the address wait already: nothing was read or counted
 */
export async function inTurn<Verdict>(
  { signInTurns }: Pick<Context, 'signInTurns'>,
  { address, browser }: SignInPlace,
  judge: () => Promise<Verdict>,
  where: keyof PeopleContext['signInTurns'] = 'here',
): Promise<Verdict | { waitMs: number }> {
  const { strangers, known } = signInTurns[where];
  const turn = browser === undefined ? strangers : known;
  return turn(networkOf(address), judge) ?? { waitMs: refusedMs };
}

/**
 * Counts a try before it is judged. `forgive` takes a right one out of the counts.
 * @param purpose what is guessed
 * @returns the milliseconds to wait; 0 if the try may go on
 */
export async function countTry(
  { db, now }: Pick<Context, 'db' | 'now'>,
  attempt: SignInAttempt,
  purpose: 'password' | 'second factor',
): Promise<{ waitMs: number; forgive: () => Promise<void> }> {
  const [own, shared] = countersOf(attempt, await knownPlaces(db, placesOf(attempt)), purpose);
  const waitMs = await claimAttempt(db, shared ? [shared, own] : [own], now());
  return { waitMs, forgive: () => forgiveAttempt(db, { forgiven: own.key, shared: shared?.key }) };
}

/**
 * Failures are counted per account and place, so that nobody elsewhere slows down a person in a known place. Unknown
 * places share one count of the account. For passwords, each address has one of its own, too, and only known browsers
 * are free of it. If known addresses were, a full one would tell which e-mails signed in there.
 */
function countersOf(attempt: SignInAttempt, known: readonly Buffer[], purpose: string): [Counter, Counter?] {
  const places = placesOf(attempt);
  const place = places.find((one) => known.some((other) => other.equals(one)));
  const key = hashOf(purpose, folded(attempt.email), place?.toString('hex') ?? 'unknown places');
  const own = { key, free: freeFailures.person };
  const isKnownBrowser = place !== undefined && place !== places.at(-1);
  if (isKnownBrowser || purpose !== 'password') return [own];
  return [own, { key: hashOf('address', networkOf(attempt.address)), free: freeFailures.address }];
}

const folded = (email: string) => email.trim().toLowerCase();

/** Sign-ins that are complete or refused, on record. */

/**
 * Signs a person in who has given everything that the account asks for, and tells them of a new place.
 * @param judged the account by which the person was judged
 * @param isExpected true for who has just set the password by a link of the mailbox: nobody else signs in so
 * @returns false if the account has changed meanwhile: nobody is signed in then
 */
export async function completeSignIn(
  context: PeopleContext,
  reply: FastifyReply,
  account: Account,
  { judged, isExpected = false }: { judged: Judged; isExpected?: boolean },
): Promise<boolean> {
  if (!(await reply.startSession({ judged }))) return false;
  const by = authorAs(reply.request, account);
  await inTransaction(context.db, async (trx) => {
    const isNew = await rememberPlace(context, trx, reply, account.email);
    if (!isNew || isExpected) return;
    await tellAccess(trx, account, { change: 'new_place' }, { by, at: context.now() });
  });
  await recordSignIn(context, reply.request, 'sign_in', { author: account, account });
  reply.request.log.info({ accountId: account.id }, 'signed in to the panel');
  return true;
}

const nobody = { id: null, name: null };

type SignInRecord = {
  /** The person known to have done it; absent where anybody may have. */
  author?: Person;
  account?: Pick<Account, 'id' | 'storeId'> | undefined;
  reason?: string | null;
  to?: ChangedValues;
};

/** Records what a person did with an account: the record names no e-mail, only the account's id. */
export async function recordSignIn(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  action: ChangeAction,
  { author = nobody, account, reason, to }: SignInRecord,
): Promise<void> {
  await recordAct(context, authorAs(request, author, reason), {
    action,
    storeId: account?.storeId ?? null,
    ...(account && { subject: account.id }),
    ...(to && { to }),
  });
}

/** Records a wrong proof, whose author is the session's person. @param account none of the holder of `ADMIN_KEY` */
export function recordWrongProof(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  account?: Account,
): Promise<void> {
  const author = request.actor;
  const to = { ...(account && { name: account.name }), cause: 'proof' };
  return recordSignIn(context, request, 'sign_in_refused', { author, account, to });
}

/**
 * Records a refused sign-in. No answer to an e-mail waits for it: its time would tell which e-mails have accounts.
 */
export async function recordRefusedSignIn(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  refused: { account?: Account | undefined; cause: string },
): Promise<void> {
  const { account, cause } = refused;
  const to = { ...(account && { name: account.name }), cause };
  await recordSignIn(context, request, 'sign_in_refused', { account, to }).catch((error: unknown) =>
    request.log.error({ err: error }, 'a refused sign-in is not in the record'),
  );
}
