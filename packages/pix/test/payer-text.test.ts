import { anyCharacter } from '@payments/testing/any-character';
import fc from 'fast-check';
import t from 'tap';
import { payerText } from '../src/payer-text.ts';

const cases: [string, string, string | undefined][] = [
  ['plain', 'Padaria da Ana', 'Padaria da Ana'],
  ['Portuguese', 'Açúcar & Cia., São João (Órgãos) à vista', 'Açúcar & Cia., São João (Órgãos) à vista'],
  ['quotes and dashes', 'Padaria “Pão & Cia” – Centro', 'Padaria "Pão & Cia" - Centro'],
  ['all that is typographic', '«É»… ‘D’Ávila’ — 5 × 3 • x−y ´a´', "\"É\"... 'D'Ávila' - 5 x 3 - x-y 'a'"],
  ['full width', 'Ｌｏｊａ　１２３＂！', 'Loja 123"!'],
  ['ligatures and marks', 'ﬁna Nº 1ª ™', 'fina No 1a TM'],
  ['accents of two characters', 'São Joao'.normalize('NFD'), 'São Joao'],
  ['other accents', 'Nuñez Müller Škoda Ångström', 'Nunez Müller Skoda Angstrom'],
  ['letters without a base', 'Øre Straße Łódź æ', 'Ore Strasse Lódz ae'],
  ['emoji', 'Pão 🥖 quente 👩‍🍳', 'Pão quente'],
  ['another script', 'Sushi 東京 Bar', 'Sushi Bar'],
  ['what no bank needs', 'a<b>[c]{d}|e\\f^g~h`i', "ab(c)(d)/e/fgh'i"],
  ['white space', '\tLoja\n da\u0007 Ana\u00a0\u2003x\u200by ', 'Loja da Ana xy'],
  ['nothing', '', undefined],
  ['nothing left', '東京 🥖', undefined],
  ['only marks left', '– “東京” –', undefined],
  ['too long', `${'ã'.repeat(139)}😀😀é e`, `${'ã'.repeat(139)}é`],
  ['cut before a blank', `${'x'.repeat(139)} y`, 'x'.repeat(139)],
];

for (const [name, text, expected] of cases)
  t.test(`what a payer reads: ${name}`, async (t) => {
    t.equal(payerText(text, 140), expected);
  });

t.test('whatever a name is, what leaves is short, legal and stays as it is', async () => {
  const legal = /^[A-Za-z0-9_ ÀÁÂÃÇÉÊÍÓÔÕÚÜàáâãçéêíóôõúü!"#$%&'()*+,\-./:;=?@]{1,140}$/;
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (name) => {
      const text = payerText(name, 140);
      return text === undefined || (legal.test(text) && payerText(text, 140) === text);
    }),
  );
});
