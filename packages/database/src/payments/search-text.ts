import { sql } from 'kysely';

const hasTrigram = /[\p{L}\p{N}]{3}/u;

/**
 * @returns SQL: whether a payment's e-mail or observation contains the text, in any case. For a text
 * without a trigram, several processes read the whole table: its index would be read from end to end, and then the table
 */
export function containsText(text: string) {
  const part = partOf(text);
  // The collation hides the index.
  const searched = hasTrigram.test(text) ? sql`search_text` : sql`search_text collate "C"`;
  // search_text has both, so a text with a line break must be found in one of them.
  const inOne = text.includes('\n')
    ? sql`folded(email) like ${part} or folded(observation) like ${part}`
    : sql`true`;
  return sql<boolean>`(search_text is not null and ${searched} like ${part} and (${inOne}))`;
}

/** @returns SQL: whether a payment's reference, one with an `@`, contains the text, in any case, by its own index */
export function referenceContains(email: string) {
  return sql<boolean>`(reference like '%@%' and folded(reference) like ${partOf(email)})`;
}

/** @returns SQL: whether a payment's webhookUrl contains the e-mail, plain or percent-encoded, by its own index */
export function webhookUrlContains(email: string) {
  const [plain, encoded] = [partOf(email), partOf(encodeURIComponent(email))];
  return sql<boolean>`(webhook_url ~ '@|%40'
    and (folded(webhook_url) like ${plain} or folded(webhook_url) like ${encoded}))`;
}

function partOf(text: string) {
  return sql`folded(${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`})`;
}
