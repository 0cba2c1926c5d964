import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { everyRow } from '../filters.ts';
import type { Passkey } from './passkeys.ts';
import { deleteSessions } from './sessions.ts';

/** Turns the second factor on, with its first accepted time step and the hashes of the recovery codes. */
export async function setSecondFactor(
  trx: Queryable,
  id: string,
  { secret, step, codes }: { secret: Buffer; step: number; codes: readonly Buffer[] },
): Promise<void> {
  const set = { totpSecret: secret, totpStep: step, wrongCodes: 0 };
  await trx.updateTable('accounts').set(set).where('id', '=', id).execute();
  await trx.deleteFrom('recoveryCodes').where('accountId', '=', id).execute();
  await trx
    .insertInto('recoveryCodes')
    .values(codes.map((hash) => ({ accountId: id, hash })))
    .execute();
}

/** Turns the second factor off. @returns false if it is off */
export async function removeSecondFactor(trx: Queryable, id: string): Promise<boolean> {
  const row = await trx
    .updateTable('accounts')
    .set({ totpSecret: null, totpStep: null, wrongCodes: 0 })
    .where('id', '=', id)
    .where('totpSecret', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (!row) return false;
  await trx.deleteFrom('recoveryCodes').where('accountId', '=', id).execute();
  return true;
}

/**
 * Counts a code as wrong before it is judged, so that guesses at the same time can't pass the bound.
 * @returns how many in a row are wrong with this one, or undefined where `atMost` were wrong before
 */
export async function claimCode(db: Queryable, id: string, atMost: number): Promise<number | undefined> {
  const row = await db
    .updateTable('accounts')
    .set({ wrongCodes: sql`wrong_codes + 1` })
    .where('id', '=', id)
    .where('wrongCodes', '<', atMost)
    .returning('wrongCodes')
    .executeTakeFirst();
  return row?.wrongCodes;
}

/** A right code makes the wrong ones before it mistakes. */
export async function forgetWrongCodes(db: Queryable, id: string): Promise<void> {
  await db.updateTable('accounts').set({ wrongCodes: 0 }).where('id', '=', id).execute();
}

/** Reads every stored secret of a second factor, in pages. */
export async function* everyTotpSecret(db: Queryable): AsyncGenerator<{ id: string; stored: Buffer }> {
  const accounts = db.selectFrom('accounts').select(['id', 'totpSecret']).orderBy('id');
  const rows = everyRow((after, limit) => accounts.where('id', '>', after).limit(limit).execute());
  for await (const { id, totpSecret } of rows) if (totpSecret !== null) yield { id, stored: totpSecret };
}

/** Stores the secret in another form, if the old form still stands there. */
export async function replaceTotpSecret(
  db: Queryable,
  id: string,
  { was, becomes }: { was: Buffer; becomes: Buffer },
): Promise<void> {
  const update = db.updateTable('accounts').set({ totpSecret: becomes });
  await update.where('id', '=', id).where('totpSecret', '=', was).execute();
}

/**
 * Accepts the code of a time step once.
 * @returns false if a code of this step or a later one was accepted before
 */
export async function acceptStep(db: Queryable, id: string, step: number): Promise<boolean> {
  const row = await db
    .updateTable('accounts')
    .set({ totpStep: step })
    .where('id', '=', id)
    .where('totpSecret', 'is not', null)
    .where((eb) => eb.or([eb('totpStep', 'is', null), eb('totpStep', '<', step)]))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses a recovery code up. @returns false if the account has none such */
export async function deleteRecoveryCode(trx: Queryable, id: string, hash: Buffer): Promise<boolean> {
  const row = await trx
    .deleteFrom('recoveryCodes')
    .where('accountId', '=', id)
    .where('hash', '=', hash)
    .returning('hash')
    .executeTakeFirst();
  return row !== undefined;
}

/** What an account signed in with beside its password. */
export type RemovedFactors = { hadApp: boolean; passkeys: Pick<Passkey, 'name'>[] };

/** Removes all that an account signs in with beside its password, and ends its sessions. */
export async function removeFactors(trx: Queryable, id: string): Promise<RemovedFactors> {
  const hadApp = await removeSecondFactor(trx, id);
  const passkeys = await trx.deleteFrom('passkeys').where('accountId', '=', id).returning('name').execute();
  await deleteSessions(trx, id);
  return { hadApp, passkeys };
}

/** @returns whether an authenticator app or a passkey is set up */
export async function hasFactor(db: Queryable, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', id)
    .where(
      sql<boolean>`(totp_secret is not null or exists (select from passkeys where account_id = accounts.id))`,
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns the number of recovery codes that are left */
export async function countRecoveryCodes(db: Queryable, id: string): Promise<number> {
  const rows = await db.selectFrom('recoveryCodes').select('hash').where('accountId', '=', id).execute();
  return rows.length;
}
