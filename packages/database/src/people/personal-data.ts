import type { PaymentView } from '@payments/domain/payment';
import { withoutPerson, withoutTexts } from '@payments/domain/personal-data';
import { sql } from 'kysely';
import { anyOf } from '../arrays.ts';
import type { Queryable } from '../connection.ts';
import { containsText, referenceContains } from '../payments/search-text.ts';

type Texts = { id: string; email: string | null; observation: string | null; reference: string | null };

/** @returns the payments whose e-mail is this one, in any case, or whose observation or reference contains it */
export async function findPaymentsOf(db: Queryable, email: string): Promise<Texts[]> {
  const columns = ['id', 'email', 'observation', 'reference'] as const;
  const candidates = await db
    .selectFrom('payments')
    .select(columns)
    .where(containsText(email))
    .union(db.selectFrom('payments').select(columns).where(referenceContains(email)))
    .orderBy('id')
    .execute();
  return candidates.filter((payment) => withoutPerson(payment, email) !== payment);
}

/** Erases the texts of payments that name the person, wherever they are kept. Amounts stay. */
export async function erasePerson(trx: Queryable, email: string, payments: readonly Texts[]): Promise<void> {
  for (const payment of payments) {
    const { id, ...texts } = withoutPerson(payment, email);
    await trx.updateTable('payments').set(texts).where('id', '=', id).execute();
  }
  await eraseCopies(
    trx,
    payments.map(({ id }) => id),
  );
}

/** Erases e-mail and observation of payments, wherever they are kept. Amounts stay. */
export async function eraseTexts(trx: Queryable, ids: readonly string[]): Promise<void> {
  await trx
    .updateTable('payments')
    .set({ email: null, observation: null })
    .where('id', '=', anyOf(ids))
    .execute();
  await eraseCopies(trx, ids);
}

/**
 * Erases the texts from the events of payments, and what receivers answered to them. A payment is locked before its
 * events are read, so that no event is written meanwhile.
 */
export async function eraseCopies(trx: Queryable, ids: readonly string[]): Promise<void> {
  await trx
    .selectFrom('payments')
    .select('id')
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forUpdate()
    .execute();
  const events = await trx
    .selectFrom('events as e')
    .select(['e.id', 'payload'])
    .where('paymentId', '=', anyOf(ids))
    .execute();
  for (const { id, payload } of events) {
    if (payload.email === null && payload.observation === null) continue;
    // Written by JavaScript, since PostgreSQL would reorder the fields that receivers see.
    const erased: PaymentView = withoutTexts(payload);
    await sql`update events set payload = ${JSON.stringify(erased)}::json where id = ${id}`.execute(trx);
  }
  await sql`
    update deliveries set attempt_log = (
      select jsonb_agg(entry || '{"responseExcerpt": null}' order by place)
      from jsonb_array_elements(attempt_log) with ordinality as log (entry, place)
    )
    where id in (select id from events where payment_id = ${anyOf(ids)})
      and attempt_log @? '$[*].responseExcerpt ? (@ != null)'`.execute(trx);
}
