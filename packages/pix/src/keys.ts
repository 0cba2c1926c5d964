/**
 * @returns a Pix key as DICT writes it: an e-mail and a random key in small letters, a telephone as `+` and digits, CPF
 * and CNPJ without punctuation. Anything else stays as it is; eleven digits alone are a CPF, never a telephone
 */
export function canonicalKey(key: string): string {
  const text = key.trim();
  if (text.includes('@') || randomKey.test(text)) return text.toLowerCase();
  if (international.test(text)) return `+${text.replace(/\D/g, '')}`;
  const bare = text.replace(/[.\-/\s()]/g, '').toUpperCase();
  if (telephone.test(bare)) return `+${bare}`;
  return taxNumber.test(bare) ? bare : text;
}

const randomKey = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const international = /^\+[\d\s().-]+$/;
// Brazil's code, the area and the number: fewer digits than a CNPJ, more than a CPF.
const telephone = /^55\d{10,11}$/;
// CPF, and CNPJ, which may have letters from 2026 on.
const taxNumber = /^(?:\d{11}|[0-9A-Z]{12}\d{2})$/;

/** @returns whether two Pix keys are the same key; a PSP that leaves the key out contradicts nothing */
export function isSameKey(own: string, other: string | null): boolean {
  return other === null || canonicalKey(own) === canonicalKey(other);
}
