/** The personal data of an e-mail (Contract: personal data). */

type Texts = { email: string | null; observation: string | null };

// Other characters may stand in a longer e-mail (RFC 5322), but far more often before this one: `email=`, `order-7-`.
const notLonger = '(?<![\\p{L}\\w.+])';

const folded = (text: string) => text.toLocaleLowerCase('und');

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const person = (pattern: string, flags: string) =>
  new RegExp(`${notLonger}${pattern}(?![\\p{L}\\w-]|\\.[\\p{L}\\w])`, flags);

/** @returns whether the text contains this e-mail, and not as a part of a longer one */
export function namesPerson(text: string | null, email: string): boolean {
  return text !== null && person(literal(folded(email)), 'u').test(folded(text));
}

/** @returns the address without this e-mail, plain or percent-encoded: what is sent there still arrives */
export function urlWithoutPerson(url: string, email: string): string {
  const forms = [email, encodeURIComponent(email)].map(literal).join('|');
  return url.replaceAll(person(`(?:${forms})`, 'giu'), '');
}

type PaymentTexts = Texts & { reference: string | null; webhookUrl: string | null };

/** @returns the payment's texts that remain when the person is erased: a text that names the person goes whole */
export function withoutPerson<T extends PaymentTexts>(payment: T, email: string): T {
  const isTheirs = payment.email !== null && folded(payment.email) === folded(email);
  const inObservation = namesPerson(payment.observation, email);
  const inReference = namesPerson(payment.reference, email);
  const webhookUrl = payment.webhookUrl && urlWithoutPerson(payment.webhookUrl, email);
  const inUrl = webhookUrl !== payment.webhookUrl;
  if (!isTheirs && !inObservation && !inReference && !inUrl) return payment;
  return {
    ...(isTheirs ? withoutTexts(payment) : payment),
    ...(inObservation ? { observation: null } : {}),
    ...(inReference ? { reference: null } : {}),
    webhookUrl,
  };
}

/** @returns the payment without the texts that may name anyone */
export function withoutTexts<T extends Texts>(payment: T): T {
  return { ...payment, email: null, observation: null };
}

const anyEmail = /[\p{L}\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\p{L}\w-]{1,63}(?:\.[\p{L}\w-]{1,63})+/gu;

/** @returns a text as it is recorded: the record can't be changed, so no e-mail may enter it */
export function withoutEmails(text: string): string {
  return text.replace(anyEmail, '[e-mail]');
}
