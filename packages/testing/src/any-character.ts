import fc, { type Arbitrary } from 'fast-check';

const firstSurrogate = 0xd8_00;
const surrogates = 0x8_00;

/**
 * Any character of Unicode, but no half of a surrogate pair: a unit for `fc.string`. fast-check's own unit `binary` gives
 * the same, but first lists a million characters, which takes each process over a second.
 */
export const anyCharacter: Arbitrary<string> = fc.integer({ min: 0, max: 0x10_ff_ff - surrogates }).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (character) => indexOf(String(character)),
);

function indexOf(character: string): number {
  const code = character.codePointAt(0);
  const isOne = code !== undefined && String.fromCodePoint(code) === character;
  if (!isOne || (code >= firstSurrogate && code < firstSurrogate + surrogates))
    throw new Error(`not one character: ${JSON.stringify(character)}`);
  return code < firstSurrogate ? code : code - surrogates;
}
