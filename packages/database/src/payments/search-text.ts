import { sql } from 'kysely';

const hasTrigram = /[\p{L}\p{N}]{3}/u;

/**
 * @returns SQL: whether a payment's e-mail, observation or description contains the text, in any case. For a text
 * without a trigram, several processes read the whole table: its index would be read from end to end, and then the table
 */
export function containsText(text: string) {
  const part = partOf(text);
  // The collation hides the index.
  const searched = hasTrigram.test(text) ? sql`search_text` : sql`search_text collate "C"`;
  // search_text has them all, so a text with a line break must be found in one of them.
  const inOne = text.includes('\n')
    ? sql`folded(email) like ${part} or folded(observation) like ${part} or folded(description) like ${part}`
    : sql`true`;
  return sql<boolean>`(search_text is not null and ${searched} like ${part} and (${inOne}))`;
}

/** @returns SQL: whether a payment's e-mail, observation or description may contain the e-mail, in any case and encoding */
export function textMayName(email: string) {
  return sql<boolean>`(search_text is not null and search_text like ${spelt(email)})`;
}

/** @returns SQL: whether a payment's reference, one with an `@`, may contain the e-mail, by its own index */
export function referenceMayName(email: string) {
  return sql<boolean>`(reference ~ '@|%(25)*40' and folded(reference) like ${spelt(email)})`;
}

/** @returns SQL: whether a payment's webhookUrl may contain the e-mail, by its own index */
export function webhookUrlMayName(email: string) {
  return sql<boolean>`(webhook_url ~ '@|%(25)*40' and folded(webhook_url) like ${spelt(email)})`;
}

/** @returns SQL: whether a failing endpoint's URL may contain the e-mail */
export function endpointMayName(email: string) {
  return sql<boolean>`folded(url) like ${spelt(email)}`;
}

/**
 * @returns a pattern that every spelling of the e-mail has, its accents in either form: percent-encoding leaves letters
 * without accents, digits, `.`, `_`, `~` and `-` as they are (RFC 3986, 2.3), and anything may stand for the rest
 */
function spelt(email: string) {
  const kept = email
    .normalize('NFC')
    .replaceAll(/[^a-z\d._~-]+/gi, '%')
    .replaceAll('_', '\\_');
  return sql`folded(${`%${kept}%`})`;
}

function partOf(text: string) {
  return sql`folded(${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`})`;
}
