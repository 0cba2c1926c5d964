import fc from 'fast-check';
import t from 'tap';
import { anyCharacter } from '../src/any-character.ts';

t.test('it is one character, and shrinks to the same again', async () => {
  fc.assert(
    fc.property(anyCharacter, (character) => {
      const isOne = [...character].length === 1 && character.isWellFormed();
      return isOne && anyCharacter.canShrinkWithoutContext(character);
    }),
  );
});

for (const [what, text, can] of [
  ['the last before the surrogates', '\ud7ff', true],
  ['the first after them', '\ue000', true],
  ['the last of all', '\u{10ffff}', true],
  ['half of a pair', '\ud800', false],
  ['two characters', 'ab', false],
  ['none', '', false],
] as const)
  t.test(what, async (t) => t.equal(anyCharacter.canShrinkWithoutContext(text), can));
