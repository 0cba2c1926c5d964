import { setPaused } from '@payments/database/banks/banks';
import type { Author } from '@payments/database/record/changes';
import type { AdministrationContext } from '../../context.ts';
import { wrongField } from '../../http/errors/condition.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';

/** @throws ApiError 400 without a reason, 404 for an unknown bank */
export async function pauseBank({ db, now }: AdministrationContext, id: string, by: Author): Promise<void> {
  const reason = by.reason?.trim();
  if (!reason) throw wrongField('reason', rules.notEmpty);
  const isKnown = await setPaused(db, id, { reason, by: { ...by, reason }, now: now() });
  if (!isKnown) throw errors.bankNotFound();
}

/** @throws ApiError 404 for an unknown bank */
export async function resumeBank({ db, now }: AdministrationContext, id: string, by: Author): Promise<void> {
  if (!(await setPaused(db, id, { reason: null, by, now: now() }))) throw errors.bankNotFound();
}
