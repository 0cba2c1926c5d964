import t from 'tap';
import { readPix, readRefund } from '../src/answers.ts';
import { readTime, timeInside } from '../src/times.ts';

const id = (minute: string) => `E12345678${minute}abcdefghijk`;

const times: [what: string, text: unknown, id: string | null, at: string | null, otherwise?: string][] = [
  ['a zone', '2026-11-25T18:40:53-03:00', null, '2026-11-25T21:40:53.000Z'],
  ['UTC', '2026-11-25T18:40:53.5Z', id('202611251840'), '2026-11-25T18:40:53.500Z'],
  ['São Paulo’s, but marked as UTC', '2023-10-18T00:56:07Z', id('202310180355'), '2023-10-18T03:56:07.000Z'],
  ['UTC, far from its id', '2026-11-25T18:40:53Z', id('202611241200'), '2026-11-25T18:40:53.000Z'],
  ['a zone far from its id', '2026-11-25T18:40:53+00:00', id('202611252140'), '2026-11-25T18:40:53.000Z'],
  ['no zone', '2026-11-25T18:40:53', null, '2026-11-25T18:40:53.000Z', '2026-11-25T21:40:53.000Z'],
  ['no zone, near its id as UTC', '2026-11-25T18:40:53', id('202611251840'), '2026-11-25T18:40:53.000Z'],
  [
    'no zone, near its id as São Paulo’s',
    '2026-11-25T18:40:53',
    id('202611252140'),
    '2026-11-25T21:40:53.000Z',
  ],
  [
    'São Paulo’s, of the next day in UTC',
    '2026-11-25 22:10:00',
    id('202611260109'),
    '2026-11-26T01:10:00.000Z',
  ],
  [
    'an hour after the minute of its id',
    '2026-11-25T18:40:53',
    id('202611252040'),
    '2026-11-25T21:40:53.000Z',
  ],
  [
    'no zone, near its id in neither meaning',
    '2026-11-25T18:40:53',
    id('202611241200'),
    '2026-11-25T18:40:53.000Z',
    '2026-11-25T21:40:53.000Z',
  ],
  [
    'an id of another form',
    '2026-11-25T18:40:53',
    'pix-1',
    '2026-11-25T18:40:53.000Z',
    '2026-11-25T21:40:53.000Z',
  ],
  ['a day as Brazilians write it', '05/11/2026 18:40:53', id('202611051840'), '2026-11-05T18:40:53.000Z'],
  ['a day alone', '2026-11-25', id('202611251840'), '2026-11-25T18:40:00.000Z'],
  ['a day alone, late in the evening', '25/11/2026', id('202611260105'), '2026-11-26T01:05:00.000Z'],
  ['a day alone, UTC’s', '2026-11-26', id('202611260105'), '2026-11-26T01:05:00.000Z'],
  ['a day alone, far from its id', '2026-11-25', id('202611281840'), '2026-11-25T15:00:00.000Z'],
  ['a day alone, without an id', '2026-11-25', null, '2026-11-25T15:00:00.000Z'],
  ['hours alone as offset', '2026-11-25T18:40:53.25-03', null, '2026-11-25T21:40:53.250Z'],
  ['a blank before the offset', '2026-11-25 18:40:53 -0300', null, '2026-11-25T21:40:53.000Z'],
  ['a decimal comma', '2026-11-25T18:40:53,5Z', null, '2026-11-25T18:40:53.500Z'],
  ['blanks around it', ' 2026-11-25T18:40:53Z\n', null, '2026-11-25T18:40:53.000Z'],
  ['a zone’s name', '2026-11-25T18:40-03:00[America/Sao_Paulo]', null, '2026-11-25T21:40:00.000Z'],
  ['a language’s default', '0001-01-01T00:00:00', id('202611252140'), null],
  ['a language’s last day', '9999-12-31T23:59:59.999Z', id('202611252140'), null],
  ['a day that does not exist', '2026-13-05T00:00:00Z', null, null],
  ['a number as text', '5', null, null],
  ['a word', 'soon', id('202611252140'), null],
  ['no text', 7, null, null],
  ['nothing', undefined, null, null],
];
for (const [what, text, ofId, at, otherwise] of times) {
  t.test(what, async (t) => {
    const time = readTime(text, ofId === null ? null : timeInside(ofId));
    t.equal(time?.at.toISOString() ?? null, at);
    t.equal(time?.otherwise?.toISOString(), otherwise);
  });
}

t.test('the minute in an id', async (t) => {
  t.equal(timeInside(id('202611252140'))?.toISOString(), '2026-11-25T21:40:00.000Z');
  t.equal(timeInside('D12AB34CD202611252119abcdefghijk')?.toISOString(), '2026-11-25T21:19:00.000Z');
  t.equal(timeInside(id('202611252140').toLowerCase())?.toISOString(), '2026-11-25T21:40:00.000Z');
  for (const other of [id('202613012140'), 'X12345678202611252140abcdefghijk', ''])
    t.equal(timeInside(other), null);
});

t.test('a Pix and its returns', async (t) => {
  const devolucao = {
    id: 'A',
    rtrId: 'D12345678202611260105abcdefghijk',
    valor: '1.00',
    status: 'DEVOLVIDO',
    horario: { liquidacao: '2026-11-25T22:05:07' },
  };
  const entry = {
    endToEndId: id('202611252140'),
    valor: '1.00',
    horario: '2026-11-25T18:40:53',
    devolucoes: [devolucao, { ...devolucao, valor: 'odd' }],
  };
  const pix = readPix(entry);
  t.equal(pix.paidAt.toISOString(), '2026-11-25T21:40:53.000Z');
  t.equal(pix.paidAtOtherwise, undefined, 'its id leaves no doubt');
  t.equal(pix.refunds[0]?.settledAt?.toISOString(), '2026-11-26T01:05:07.000Z', 'of the next day in UTC');
  t.equal(pix.oddRefundsAt?.[0]?.toISOString(), '2026-11-26T01:05:07.000Z');
  t.equal(
    readRefund({ ...devolucao, rtrId: undefined }).settledAt?.toISOString(),
    '2026-11-25T22:05:07.000Z',
  );
  t.notOk('paidAtOtherwise' in readPix({ ...entry, horario: '2026-11-25T18:40:53-03:00' }));
});
