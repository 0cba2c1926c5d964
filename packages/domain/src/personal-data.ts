/** What is known of a person by an e-mail (Contract: personal data). */

type Texts = { email: string | null; observation: string | null };

const folded = (text: string) => text.toLocaleLowerCase('und');

/** @returns whether the text contains this e-mail, and not as a part of a longer one */
export function namesPerson(text: string | null, email: string): boolean {
  if (text === null) return false;
  const literal = folded(email).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\w.!#$%&'*+/=?^\`{|}~-])${literal}(?![\\w-]|\\.\\w)`, 'u').test(folded(text));
}

/** @returns what of a payment's texts remains when the person is erased: a text that names them goes whole */
export function withoutPerson<T extends Texts & { reference: string | null }>(payment: T, email: string): T {
  const isTheirs = payment.email !== null && folded(payment.email) === folded(email);
  const inObservation = namesPerson(payment.observation, email);
  const inReference = namesPerson(payment.reference, email);
  if (!isTheirs && !inObservation && !inReference) return payment;
  return {
    ...(isTheirs ? withoutTexts(payment) : payment),
    ...(inObservation ? { observation: null } : {}),
    ...(inReference ? { reference: null } : {}),
  };
}

/** @returns the payment without the texts that may name anyone */
export function withoutTexts<T extends Texts>(payment: T): T {
  return { ...payment, email: null, observation: null };
}

const anyEmail = /[\p{L}\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\p{L}\w-]{1,63}(?:\.[\p{L}\w-]{1,63})+/gu;

/** @returns a reason as it is recorded: the record can't be changed, so no e-mail may enter it */
export function withoutEmails(reason: string): string {
  return reason.replace(anyEmail, '[e-mail]');
}
