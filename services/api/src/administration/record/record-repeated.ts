import type { ChangeAction, ChangedValues } from '@payments/database/record/change-actions';
import type { Author } from '@payments/database/record/changes';
import { recordRepeated } from '@payments/database/record/repeated-changes';
import type { AdministrationContext } from '../../context.ts';
import { networkOf } from '../../people/sign-in/known-place.ts';

/** What somebody did that can be repeated without effect. */
export type Act = {
  action: ChangeAction;
  storeId: string | null;
  /** The account concerned, if there is one. */
  subject?: string;
  to?: ChangedValues;
  /** What tells it from others of the same action, such as the operation that was refused. */
  kind?: string;
};

/**
 * Records what can be repeated without effect: a few times per actor and kind in ten minutes, and then its number. The
 * actor is the account or key; where nobody is known, the address, and the account that it concerns.
 */
export async function recordAct(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  by: Author,
  { kind, ...act }: Act,
): Promise<void> {
  const who = by.id ?? by.name;
  const actor = who ?? `${networkOf(by.address ?? '')} ${act.subject ?? ''}`.trim();
  const change = { ...act, at: now() };
  await recordRepeated(db, { actor, isAnonymous: who === null, by, change, ...(kind && { kind }) });
}
