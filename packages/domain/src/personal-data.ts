/** The personal data of an e-mail (Contract: personal data). */

/** The payer's texts of a payment. They go with their person, and with time. */
export const payerTexts = ['email', 'observation', 'description'] as const;

/**
 * The texts of a payment that may name a person: erasure follows from this list. A new text is in it, or excused in the
 * test that compares the list with the schema.
 */
export const personalTexts = [...payerTexts, 'reference', 'webhookUrl'] as const;

type Texts = Partial<Record<(typeof payerTexts)[number], string | null>>;

// A URL inside a URL is encoded again: `%2540` is `%40`, which is `@`.
const percent = '%(?:25){0,2}';

// Other characters may stand in a longer e-mail (RFC 5322), but far more often before this one: `email=`, `order-7-`.
const notLonger = '(?<![\\p{L}\\p{M}\\w.+])';

// An encoded character ends in a digit or letter of its code. Only `+`, `.`, `_`, letters and digits make a longer e-mail.
const otherCodes = '(?:[01][\\da-f]|2[\\dacdf]|3[a-f]|40|5[b-e]|60|7[b-f])';
const before = `(?:${notLonger}|(?<=${percent}${otherCodes}))`;

// A Mac may write an accent as a character of its own; the two look the same.
const folded = (text: string) => text.normalize('NFC').toLocaleLowerCase('und');

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** @returns a pattern of the character, whole or as a letter and its accents */
function forms(character: string): string {
  const parts = [...character.normalize('NFD')];
  const apart = parts.length > 1 ? `|${parts.map(spellings).join('')}` : '';
  return `(?:${spellings(character)}${apart})`;
}

/** @returns a pattern of the character: itself, or its bytes in UTF-8 percent-encoded */
function spellings(character: string): string {
  const cases = new Set([character.toLocaleLowerCase('und'), character.toLocaleUpperCase('und')]);
  const encoded = [...cases].map((one) =>
    [...Buffer.from(one)].map((byte) => `${percent}${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return `(?:${[literal(character), ...encoded].join('|')})`;
}

// The e-mail of the last pattern: it is looked for in text after text, and to make it takes far longer than a search.
let last: { email: string; spellings: RegExp } | undefined;

function person(email: string): RegExp {
  if (last?.email !== email) {
    // bounded: an e-mail has 255 characters, and each of their spellings begins differently.
    const spelt = [...folded(email)].map(forms).join('');
    last = { email, spellings: new RegExp(`${before}${spelt}(?![\\p{L}\\w-]|\\.[\\p{L}\\w])`, 'giu') };
  }
  return last.spellings;
}

/** @returns whether the text contains this e-mail, plain or percent-encoded, and not as a part of a longer one */
export function namesPerson(text: string | null, email: string): boolean {
  return text !== null && folded(text).search(person(email)) !== -1;
}

/** @returns the address without this e-mail, plain or percent-encoded: what is sent there still arrives */
export function urlWithoutPerson(url: string, email: string): string {
  return url.replaceAll(person(email), '');
}

type PaymentTexts = Record<(typeof personalTexts)[number], string | null>;

/** @returns the payment's texts that remain when the person is erased: a text that names the person goes whole */
export function withoutPerson<T extends PaymentTexts>(payment: T, email: string): T {
  const isTheirs = payment.email !== null && folded(payment.email) === folded(email);
  const namesThem = (name: (typeof personalTexts)[number]) =>
    name !== 'email' && name !== 'webhookUrl' && namesPerson(payment[name], email);
  const named = personalTexts.filter(namesThem);
  const webhookUrl = payment.webhookUrl && urlWithoutPerson(payment.webhookUrl, email);
  if (!isTheirs && named.length === 0 && webhookUrl === payment.webhookUrl) return payment;
  return { ...(isTheirs ? withoutTexts(payment) : payment), ...nothingIn(named), webhookUrl };
}

/** @returns the payment, or what an event shows of it, without the texts that may name anyone */
export function withoutTexts<T extends Texts>(payment: T): T {
  return { ...payment, ...nothingIn(payerTexts.filter((name) => name in payment)) };
}

/** @returns whether the payment, or what an event shows of it, has a text that may name anyone */
export const hasTexts = (payment: Texts): boolean =>
  payerTexts.some((name) => (payment[name] ?? null) !== null);

const nothingIn = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

// bounded: 192 characters before the `@` (64 that are encoded), and 63 up to each dot.
const anyEmail =
  /[\p{L}\w.!#$%&'*+/=?^`{|}~-]{1,192}(?:@|%(?:25){0,2}40)[\p{L}\w-]{1,63}(?:\.[\p{L}\w-]{1,63})+/gu;

/** @returns a text as it is recorded: the record can't be changed, so no e-mail may enter it */
export function withoutEmails(text: string): string {
  return text.replace(anyEmail, '[e-mail]');
}
