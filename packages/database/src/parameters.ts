// What JSON escapes or nests, PostgreSQL writes otherwise in its lists.
const written = /[\\[{]/;

/**
 * @returns a statement's parameter as it is sent: a list as PostgreSQL reads one, where that differs from its JSON only
 *   by its brackets; the driver would put it together character by character. Anything else is left to the driver
 */
export function toParameter(value: unknown): unknown {
  if (!Array.isArray(value) || ArrayBuffer.isView(value[0])) return value;
  const members = JSON.stringify(value).slice(1, -1);
  return written.test(members) ? value : `{${members}}`;
}
