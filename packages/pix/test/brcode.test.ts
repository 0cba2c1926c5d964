import { anyCharacter } from '@payments/testing/any-character';
import fc from 'fast-check';
import t from 'tap';
import { buildBrCode, crc16, parseBrCode, readFields, writeField } from '../src/brcode.ts';

/** The dynamic code in the manual (Padrões para Iniciação do Pix 2.10), CRC checked by hand. */
const MANUAL =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441' +
  '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4';
const LOCATION = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441';

/** The characters of a code's location. */
const location = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEF0123456789./-_:'), {
    minLength: 1,
    maxLength: 77,
  })
  .map((characters) => characters.join(''));

t.test('CRC16 is the one of EMV: its check value, and the manual’s codes', async (t) => {
  t.equal(crc16('123456789'), '29B1');
  t.equal(crc16(''), 'FFFF');
  t.equal(crc16(MANUAL.slice(0, -4)), '64E4');
});

t.test("the manual's example says what the manual says", async (t) => {
  t.same(parseBrCode(MANUAL), {
    location: LOCATION,
    key: null,
    amount: null,
    merchantName: 'Fulano de Tal',
    merchantCity: 'BRASILIA',
    txid: null,
    singleUse: true,
  });
});

t.test('for the same fields the built code is the manual’s, byte for byte', async (t) => {
  const code = { location: LOCATION, merchantName: 'Fulano de Tal', merchantCity: 'BRASILIA' };
  t.equal(buildBrCode(code), MANUAL);
  t.equal(buildBrCode({ ...code, location: `https://${LOCATION}` }), MANUAL, 'the scheme is left out');
});

t.test("a static code, the manual's too, gives its key and amount", async (t) => {
  const body = [
    writeField('00', '01'),
    writeField('26', writeField('00', 'BR.GOV.BCB.PIX') + writeField('01', '+5561999999999')),
    '520400005303986',
    writeField('54', '10.50'),
    '5802BR5913Fulano de Tal6008BRASILIA',
    writeField('62', writeField('05', 'RP12345678')),
    '6304',
  ].join('');
  t.match(parseBrCode(body + crc16(body)), {
    key: '+5561999999999',
    location: null,
    amount: 1050,
    txid: 'RP12345678',
    singleUse: false,
  });
});

t.test('names and cities are made legal', async (t) => {
  const cases: [string, string, string, string][] = [
    ['Padaria São João', 'São Paulo', 'Padaria Sao Joao', 'Sao Paulo'],
    ['  Loja \n do\tZé ', 'Ceará-Mirim', 'Loja do Ze', 'Ceara-Mirim'],
    [
      'Comércio de Alimentos e Bebidas Ltda',
      'São José do Rio Preto',
      'Comercio de Alimentos e B',
      'Sao Jose do Rio',
    ],
    ['Loja de Móveis do Bairro Alto', 'Santana do Livramento', 'Loja de Moveis do Bairro', 'Santana do Livr'],
    ['商店 ☕', '', 'RECEBEDOR', 'BRASILIA'],
  ];
  for (const [merchantName, merchantCity, name, city] of cases) {
    const code = parseBrCode(buildBrCode({ location: LOCATION, merchantName, merchantCity }));
    t.match(code, { merchantName: name, merchantCity: city });
  }
});

t.test('any name, city and legal location make a code that reads back', async () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 60 });
  fc.assert(
    fc.property(location, text, text, (place, merchantName, merchantCity) => {
      const built = buildBrCode({ location: place, merchantName, merchantCity });
      const code = parseBrCode(built);
      return (
        /^[\x20-\x7e]+$/.test(built) &&
        built.length <= 512 &&
        code?.location === place &&
        code.merchantName.length >= 1 &&
        code.merchantName.length <= 25 &&
        code.merchantCity.length >= 1 &&
        code.merchantCity.length <= 15
      );
    }),
  );
});

t.test('one changed character is noticed', async () => {
  const at = fc.nat({ max: MANUAL.length - 1 });
  fc.assert(
    fc.property(at, fc.constantFrom(...'0123456789abcXYZ'), (index, character) => {
      const changed = MANUAL.slice(0, index) + character + MANUAL.slice(index + 1);
      return changed.toUpperCase() === MANUAL.toUpperCase() || parseBrCode(changed) === null;
    }),
  );
});

t.test('whatever is pasted, reading it does not throw', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const withCrc = `${text}6304`;
      parseBrCode(text);
      parseBrCode(withCrc + crc16(withCrc));
      return true;
    }),
  );
});

t.test('codes of nothing to do with Pix are refused', async (t) => {
  const other = `${writeField('00', '01')}${writeField('26', writeField('00', 'com.example'))}6304`;
  for (const text of ['', '0002', other + crc16(other), `${MANUAL}0`, 'https://pix.example.com/abc']) {
    t.equal(parseBrCode(text), null, text);
  }
  t.ok(parseBrCode(`\n ${MANUAL} \n`), 'blanks of a paste do not matter');
  t.ok(parseBrCode(MANUAL.slice(0, -4) + MANUAL.slice(-4).toLowerCase()), 'nor does the case of the CRC');
});

t.test('accents are forgiven, whether a maker counts and sums characters, UTF-8 or Latin-1', async (t) => {
  const [before, after] = MANUAL.slice(0, -4).split('5913Fulano de Tal');
  const named = (length: string) => `${before}59${length}Pão de Açúcar${after}`;
  for (const code of [
    named('13') + crc16(named('13')),
    named('13') + crc16(named('13'), 'latin1'),
    named('16') + crc16(named('16')),
  ])
    t.match(parseBrCode(code), { location: LOCATION, merchantName: 'Pão de Açúcar' });
});

t.test('a code is at most 512 characters', async (t) => {
  const long = `${MANUAL.slice(0, -8)}${writeField('80', 'x'.repeat(99)).repeat(4)}6304`;
  t.equal(parseBrCode(long + crc16(long)), null);
});

t.test('a location that does not fit is refused', async (t) => {
  for (const place of ['', 'x'.repeat(78), 'pix.example.com/a b', 'pix.example.com/ção']) {
    t.throws(() => buildBrCode({ location: place, merchantName: 'a', merchantCity: 'b' }), RangeError);
  }
});

t.test('fields are written and read alike', async () => {
  const field = fc.record({
    id: fc.integer({ min: 0, max: 99 }).map((id) => String(id).padStart(2, '0')),
    value: fc.string({ maxLength: 99, unit: 'grapheme-ascii' }),
  });
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const text = fields.map(({ id, value }) => writeField(id, value)).join('');
      return JSON.stringify(readFields(text)) === JSON.stringify(fields);
    }),
  );
});

t.test('a field holds 99 characters, no more', async (t) => {
  t.throws(() => writeField('26', 'x'.repeat(100)), RangeError);
});
