/**
 * A text as any bank takes it, for the fields that a payer reads: letters with Portuguese accents, digits and plain
 * punctuation on one line. Typographic and full-width forms become plain ones, other accents fall off, and what has no
 * plain form is left out.
 * @param longest characters, which are UTF-16 units, too
 * @returns undefined if no letter or digit is left: the field is absent then
 */
export function payerText(text: string, longest: number): string | undefined {
  const line = text.replace(foreign, inPlainForm).replace(/ {2,}/g, ' ').trim().slice(0, longest).trimEnd();
  return /[\p{L}\d]/u.test(line) ? line : undefined;
}

const letters = `\\w ÀÁÂÃÇÉÊÍÓÔÕÚÜàáâãçéêíóôõúü!"#$%&'()*+,\\-./:;=?@`;
// bounded: it meets one character.
const legal = new RegExp(`^[${letters}]$`);
// With the letter before, to which an accent may belong.
// bounded: each run of foreign characters is taken once, whole.
const foreign = new RegExp(`.?[^${letters}]+`, 'gsu');

function inPlainForm(text: string): string {
  return [...withoutTypography(withoutTypography(text).normalize('NFKC'))].map(plainForm).join('');
}

function plainForm(character: string): string {
  if (legal.test(character)) return character;
  // A line break is no blank, and other control characters part words, too.
  if (/[\s\p{Cc}]/u.test(character)) return ' ';
  const base = character.normalize('NFD').replace(/\p{M}/gu, '');
  return legal.test(base) ? base : (foreignLetters.get(character) ?? '');
}

/** Letters that are no base letter with an accent. */
const foreignLetters = new Map(
  Object.entries({
    æ: 'ae',
    Æ: 'AE',
    œ: 'oe',
    Œ: 'OE',
    ß: 'ss',
    ø: 'o',
    Ø: 'O',
    ł: 'l',
    Ł: 'L',
    đ: 'd',
    Đ: 'D',
  }),
);

// Before NFKC, too: it makes a blank and an accent of an acute that stands alone.
function withoutTypography(text: string): string {
  return typography.reduce((plain, [form, replacement]) => plain.replace(form, replacement), text);
}

const typography: readonly [RegExp, string][] = [
  [/[“”„‟«»″]/g, '"'],
  [/[‘’‚‛‹›′´`]/g, "'"],
  [/[\u2010-\u2015\u2212•·]/g, '-'],
  [/[[{]/g, '('],
  [/[\]}]/g, ')'],
  [/[|\\⁄]/g, '/'],
  [/×/g, 'x'],
];
