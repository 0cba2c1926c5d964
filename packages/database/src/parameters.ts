// What JSON escapes or nests, PostgreSQL writes otherwise in its lists.
const differs = /[\\[{]/;

/**
 * @returns a statement's parameter as it is sent: a list as PostgreSQL reads one, where that differs from its JSON only
 *   by its brackets; the driver would put it together character by character. Anything else is left to the driver
 */
export function toParameter(value: unknown): unknown {
  if (!Array.isArray(value) || value.some(isNotSaid)) return value;
  const members = JSON.stringify(value).slice(1, -1);
  return differs.test(members) ? value : `{${members}}`;
}

/** What JSON has no word for, and would pass over as `null`; and bytes, which it writes one by one. */
function isNotSaid(member: unknown): boolean {
  if (typeof member === 'number') return !Number.isFinite(member);
  if (member instanceof Date) return Number.isNaN(member.getTime());
  return typeof member === 'bigint' || ArrayBuffer.isView(member);
}
