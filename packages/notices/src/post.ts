import type { Collected, Notice } from './kinds.ts';
import type { Rendered } from './sending.ts';

/** The platform's webhook: the body of a post. Pure. */

const idNames = ['paymentId', 'storeId', 'refundId', 'endToEndId', 'bank', 'date'] as const;

type Ids = Partial<Record<(typeof idNames)[number], string>>;

/** @returns the ids of a notice, without those that do not exist */
function idsOf({ storeId, facts }: Notice): Ids {
  const known: Record<string, unknown> = { storeId, ...facts };
  return Object.fromEntries(idNames.flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
}

/** @returns the ids that all of them have in common */
function commonIds(all: readonly Ids[]): Ids {
  const [first = {}, ...others] = all;
  const isCommon = (name: keyof Ids) => others.every((ids) => ids[name] === first[name]);
  return Object.fromEntries(
    idNames.flatMap((name) => (first[name] && isCommon(name) ? [[name, first[name]]] : [])),
  );
}

/**
 * @returns the body as JSON: `text` is what a chat's incoming webhook shows. The ids of one notice are fields of its own.
 * `notices` names the first ones of several, `count` says how many there are, and the ids beside it are common to all
 */
export function postBody({ kind, notices, total }: Collected, { subject, url }: Rendered): string {
  const each = notices.map((notice) => ({
    occurredAt: notice.occurredAt.toISOString(),
    ...idsOf(notice),
  }));
  // Those that are not named may have others.
  const ids = total === each.length ? commonIds(notices.map(idsOf)) : {};
  const several = total > 1 ? { count: total, notices: each } : {};
  const { occurredAt } = each[0]!;
  return JSON.stringify({ kind, text: `${subject}\n${url}`, url, occurredAt, ...ids, ...several });
}
