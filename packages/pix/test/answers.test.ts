import { refundIdOf } from '@payments/domain/identifiers';
import fc from 'fast-check';
import t from 'tap';
import { readCharge, readChargeInParts, readPix, readRefund, UnreadableAnswer } from '../src/answers.ts';
import { buildBrCode, crc16, parseBrCode } from '../src/brcode.ts';
import { readCallback } from '../src/callback.ts';

const TXID = '7978c0c97ea847e78e8849634473c1f1';
const merchant = { name: 'Padaria São João', city: 'São Paulo', codeFields: ['pixCopiaECola'] };

/** `cobResponse2` of the API Pix 2.9, with the amount of its Pix as a PSP may send it. */
const cob = {
  calendario: { criacao: '2020-09-09T20:15:00.358Z', expiracao: 3600 },
  txid: TXID,
  revisao: 1,
  loc: { id: 567, location: 'pix.example.com/qr/1dd7f893a58e417287028dc33e21a403' },
  location: 'pix.example.com/qr/1dd7f893a58e417287028dc33e21a403',
  status: 'CONCLUIDA',
  valor: { original: '100.00', modalidadeAlteracao: 0 },
  chave: '40a0932d-1918-4eee-845d-35a2da1690dc',
  pix: [
    {
      endToEndId: 'E1234567820200909122120200808008',
      txid: TXID,
      valor: '110.00',
      horario: '2020-09-09T20:15:00.358Z',
      infoPagador: '0123456789',
      devolucoes: [
        {
          id: '123ABC',
          rtrId: 'D1234567820200909122120200808006',
          valor: '10.00',
          horario: { solicitacao: '2020-09-09T20:15:00.358Z' },
          status: 'EM_PROCESSAMENTO',
        },
      ],
    },
  ],
};

t.test("the document's example, with its Pix and refund", async (t) => {
  const charge = readCharge(cob, TXID, merchant);
  t.match(charge, { txid: TXID, status: 'CONCLUIDA', amount: 10_000 });
  t.same(charge.pix, [
    {
      endToEndId: 'E1234567820200909122120200808008',
      txid: TXID,
      key: null,
      amount: 11_000,
      paidAt: new Date('2020-09-09T20:15:00.358Z'),
      refunds: [
        {
          id: '123ABC',
          rtrId: 'D1234567820200909122120200808006',
          amount: 1000,
          status: 'EM_PROCESSAMENTO',
          nature: null,
          reason: null,
          settledAt: null,
        },
      ],
      oddRefunds: 0,
    },
  ]);
});

t.test('a refund’s end is the time of its settlement', async (t) => {
  const horario = { solicitacao: '2020-09-09T20:15:00Z', liquidacao: '2020-09-09T20:15:07.5-03:00' };
  const refund = { id: 'A', valor: '10.00', status: 'DEVOLVIDO', horario };
  t.same(readRefund(refund).settledAt, new Date('2020-09-09T23:15:07.5Z'));
  t.equal(readRefund({ ...refund, horario: 'later' }).settledAt, null);
});

t.test('a Pix is not paid days before its order: the minute in its id counts', async (t) => {
  const [pix] = cob.pix;
  const ordered = new Date('2020-09-09T12:21:00Z');
  for (const horario of ['2020-01-01T00:00:00Z', '2020-09-08T09:20:00-03:00', '01/02/2020 10:00:00'])
    t.same(readPix({ ...pix, horario }), { ...readPix(pix), paidAt: ordered }, horario);
  for (const horario of ['2020-09-09T09:20:00-03:00', '2020-09-08T12:21:00Z', '2021-01-01T00:00:00Z'])
    t.same(
      readPix({ ...pix, horario }).paidAt,
      new Date(horario),
      'a late settlement, or a clock that is off',
    );
});

t.test('a refund is not made days before the minute in its rtrId: such a time is none', async (t) => {
  const refund = { id: 'A', rtrId: 'D12345678202009100105abcdefghijk', valor: '10.00', status: 'DEVOLVIDO' };
  const settledAt = (liquidacao: string) => readRefund({ ...refund, horario: { liquidacao } }).settledAt;
  for (const time of ['2020-01-01T00:00:00Z', '2020-09-08T22:00:00-03:00', '01/02/2020 10:00:00'])
    t.equal(settledAt(time), null, time);
  for (const time of ['2020-09-09T22:05:00-03:00', '2020-09-09T01:05:00Z', '2020-09-20T00:00:00Z'])
    t.same(settledAt(time), new Date(time), 'a clock that is off, or a slow return');
  const odd = { ...refund, id: undefined, horario: { liquidacao: '2020-01-01T00:00:00Z' } };
  t.equal(readPix({ ...cob.pix[0], devolucoes: [odd] }).oddRefundsAt, undefined, 'of one without an id');
});

t.test('our refund’s id in capitals is ours: it is no return by the bank', async (t) => {
  const [pix] = cob.pix;
  const ours = refundIdOf(pix!.endToEndId, 2);
  const others = 'C3E0E7A4E7F1469A9F782D3D4999343C';
  const refundOf = (id: string) => ({ id, valor: '10.00', status: 'DEVOLVIDO' });
  const devolucoes = [refundOf(ours.toUpperCase()), refundOf(ours), refundOf(others)];
  const refunds = [{ id: ours }, { id: others }];
  const shown = readPix({ ...pix, devolucoes });
  t.match(shown, { oddRefunds: 0, refunds });
  t.equal(shown.refunds.length, 2, 'it is read once');
  t.match(readCharge({ ...cob, pix: [{ ...pix, devolucoes }] }, TXID, merchant).pix, [{ refunds }]);
  t.match(readCallback({ pix: [{ ...pix, valor: 'odd', devolucoes }] }).unreadable, [{ refunds }]);
  t.match(readRefund(refundOf(ours.toUpperCase()), ours), { id: ours });
  t.throws(() => readRefund(refundOf(others), ours), { message: 'devolucao.id' });
});

t.test('the code is the PSP’s, else built from the location, else null', async (t) => {
  const own = buildBrCode({ location: cob.location, merchantName: 'Outra', merchantCity: 'Recife' });
  t.equal(readCharge({ ...cob, pixCopiaECola: own }, TXID, merchant).copyAndPaste, own);
  const built = parseBrCode(readCharge(cob, TXID, merchant).copyAndPaste ?? '');
  t.match(built, { location: cob.location, merchantName: 'Padaria Sao Joao', merchantCity: 'Sao Paulo' });
  const { location, ...inLoc } = cob;
  t.equal(parseBrCode(readCharge(inLoc, TXID, merchant).copyAndPaste ?? '')?.location, location);
  const padded = readCharge({ ...cob, location: ` ${location}\n` }, TXID, merchant);
  t.equal(parseBrCode(padded.copyAndPaste ?? '')?.location, location);
  t.equal(readCharge({ ...inLoc, loc: { id: 1 } }, TXID, merchant).copyAndPaste, null);
  const paid = { copyAndPaste: null, pix: [{ endToEndId: cob.pix[0]!.endToEndId }] };
  for (const odd of ['x'.repeat(78), 'pix.example.com/cobrança/1'])
    t.match(readCharge({ ...cob, location: odd }, TXID, merchant), paid, 'a paid charge needs no code');
});

t.test('a code is null that nobody could pay, or that is of another charge', async (t) => {
  const codeAt = (location: string) =>
    buildBrCode({ location, merchantName: 'Loja', merchantCity: 'Recife' });
  const read = (pixCopiaECola: string, more = {}) =>
    readCharge({ ...cob, ...more, pixCopiaECola }, TXID, merchant).copyAndPaste;
  const own = codeAt(cob.location);
  const ofKey =
    '00020126360014br.gov.bcb.pix0114+55619999999995204000053039865802BR5901A6001B62070503***6304';
  const odd: [string, string][] = [
    ['no code', 'not a code'],
    ['markup', '<img src=x onerror=alert(1)>'],
    ['5,000 characters', 'x'.repeat(5_000)],
    ['a wrong CRC', own.replace('5303986', '5303840')],
    ['a static code', `${ofKey}${crc16(ofKey)}`],
    ['the code of another charge', codeAt('pix.example.com/qr/of-another-charge')],
  ];
  t.ok(parseBrCode(odd[4]![1])?.key, 'the static code is one');
  for (const [name, code] of odd) t.equal(read(code), null, name);
  t.equal(read(` ${own}\n`), own);
  const elsewhere = codeAt('PIX.example.com/qr/2');
  t.equal(read(elsewhere, { location: 'https://pix.example.com/qr/2' }), elsewhere);
  t.equal(read(elsewhere, { location: undefined, loc: {} }), elsewhere, 'no location says otherwise');
  const differing = { ...merchant, codeLocationDiffers: true };
  t.equal(readCharge({ ...cob, pixCopiaECola: elsewhere }, TXID, differing).copyAndPaste, elsewhere);
});

t.test('fields that are missing, unknown or of another form do no harm', async (t) => {
  const bare = { status: 'ATIVA', valor: { original: '5' } };
  t.match(readCharge(bare, TXID, merchant), { txid: TXID, amount: 500, copyAndPaste: null, pix: [] });
  t.match(readCharge({ ...bare, txid: '' }, TXID, merchant), { txid: TXID });
  t.equal(readCharge({ ...bare, status: 'SUSPENSA' }, TXID, merchant).status, 'SUSPENSA');
  const { txid, ...withoutTxid } = cob.pix[0]!;
  t.equal(readCharge({ ...cob, pix: [withoutTxid] }, TXID, merchant).pix[0]?.txid, TXID, 'it belongs here');
});

t.test('an answer that lacks what decides about money is refused', async (t) => {
  const unreadable: [string, unknown][] = [
    ['no object', 'OK'],
    ['another charge', { ...cob, txid: 'another' }],
    ['no amount', { ...cob, valor: {} }],
    ['no status', { ...cob, status: undefined }],
    ['a Pix without amount', { ...cob, pix: [{ ...cob.pix[0], valor: 'R$ 10' }] }],
    ['a Pix without id', { ...cob, pix: [{ ...cob.pix[0], endToEndId: undefined }] }],
    ['a Pix of another charge', { ...cob, pix: [{ ...cob.pix[0], txid: 'another' }] }],
  ];
  for (const [name, body] of unreadable) t.throws(() => readCharge(body, TXID, merchant), name);
});

t.test('a charge that is read in parts names the Pix that can’t be read', async (t) => {
  const [pix] = cob.pix;
  const odd = { ...pix, endToEndId: 'E1234567820200909122120200808009', valor: 'R$ 10' };
  const charge = readChargeInParts({ ...cob, pix: [odd, pix] }, TXID, merchant);
  t.match(charge, {
    pix: [{ endToEndId: pix?.endToEndId }],
    oddPix: [{ endToEndId: odd.endToEndId, txid: TXID }],
  });
  t.equal(readChargeInParts(cob, TXID, merchant).oddPix, undefined);
});

t.test('a time without a zone is UTC; without a time, the endToEndId has it', async (t) => {
  const pix = { endToEndId: 'E1234567820200909122120200808008', valor: '1.00' };
  const cases: [unknown, string][] = [
    ['2020-09-09T20:15:00', '2020-09-09T20:15:00.000Z'],
    ['2020-09-09T17:15:00-03:00', '2020-09-09T20:15:00.000Z'],
    ['2020-09-09T20:15:00.5Z', '2020-09-09T20:15:00.500Z'],
    [undefined, '2020-09-09T12:21:00.000Z'],
    ['soon', '2020-09-09T12:21:00.000Z'],
  ];
  for (const [horario, time] of cases) t.equal(readPix({ ...pix, horario }).paidAt.toISOString(), time);
  t.throws(() => readPix({ endToEndId: 'unknown', valor: '1.00' }), 'no time anywhere');
  const ofLetters = readPix({ endToEndId: 'E12AB34CD202611252119abcdefghijk', valor: '1.00' });
  t.equal(ofLetters.paidAt.toISOString(), '2026-11-25T21:19:00.000Z', 'an ISPB may have letters');
});

t.test('only two statuses of a refund are final', async (t) => {
  const refund = { id: '1', valor: '1.00' };
  const cases: [unknown, string][] = [
    ['DEVOLVIDO', 'DEVOLVIDO'],
    ['NAO_REALIZADO', 'NAO_REALIZADO'],
    ['EM_PROCESSAMENTO', 'EM_PROCESSAMENTO'],
    ['AGENDADO', 'EM_PROCESSAMENTO'],
    [undefined, 'EM_PROCESSAMENTO'],
  ];
  for (const [status, read] of cases) t.equal(readRefund({ ...refund, status }).status, read);
  t.match(readRefund({ ...refund, natureza: 'MED_FRAUDE', motivo: 'fraude' }), {
    nature: 'MED_FRAUDE',
    reason: 'fraude',
  });
});

t.test('a lone refund given as an object is read as well', async (t) => {
  const devolucoes = { id: '123ABC', valor: '10.00', status: 'DEVOLVIDO' };
  t.match(readPix({ ...cob.pix[0], devolucoes }).refunds, [{ id: '123ABC', status: 'DEVOLVIDO' }]);
});

t.test('a refund that was asked for by its id need not repeat it', (t) => {
  t.match(readRefund({ valor: '1.00', status: 'DEVOLVIDO' }, 'r1'), { id: 'r1', status: 'DEVOLVIDO' });
  t.throws(() => readRefund({ valor: '1.00', status: 'DEVOLVIDO' }));
  t.end();
});

t.test('a refund that can’t be read is counted, and hides neither its Pix nor others', (t) => {
  const good = { id: '123ABC', valor: '10.00', status: 'DEVOLVIDO' };
  const odd = { ...good, id: undefined };
  const read = readPix({ ...cob.pix[0], devolucoes: [odd, good] });
  t.match(read, { refunds: [{ id: '123ABC' }], oddRefunds: 1 });
  t.equal(read.oddRefundsAt, undefined, 'of a time unknown');
  const timed = (horario: object) =>
    readPix({ ...cob.pix[0], devolucoes: [{ ...odd, horario }] }).oddRefundsAt;
  const [asked, made] = ['2020-09-11T15:25:59.411Z', '2020-09-11T15:26:00.000Z'];
  t.same(timed({ solicitacao: asked, liquidacao: made }), [new Date(made)]);
  t.same(timed({ solicitacao: asked, liquidacao: 'x' }), [new Date(asked)]);
  t.end();
});

t.test('a refund that a Pix shows twice is read once, in its later state', async (t) => {
  const early = { id: '123ABC', valor: '10.00', status: 'EM_PROCESSAMENTO' };
  const made = { ...early, status: 'DEVOLVIDO' };
  const other = { ...made, id: '456DEF' };
  for (const devolucoes of [
    [early, made, other],
    [made, other, made],
    [made, early, other],
  ])
    t.match(readPix({ ...cob.pix[0], devolucoes }).refunds, [
      { id: '123ABC', status: 'DEVOLVIDO' },
      { id: '456DEF', status: 'DEVOLVIDO' },
    ]);
});

t.test('a Pix that an answer has twice is read once, with the returns of both copies', async (t) => {
  const [pix] = cob.pix;
  const { devolucoes: _, ...bare } = pix!;
  const refund = { id: 'MED', rtrId: 'D12345678202009092205abcdf098765', valor: '4.00', status: 'DEVOLVIDO' };
  const early = { ...bare, devolucoes: [{ ...refund, status: 'EM_PROCESSAMENTO' }] };
  const made = { ...bare, devolucoes: [refund, { ...refund, id: undefined }] };
  for (const entries of [
    [bare, early, made],
    [made, early, bare],
  ]) {
    const once = [{ amount: 11_000, refunds: [{ id: 'MED', status: 'DEVOLVIDO' }], oddRefunds: 1 }];
    for (const read of [
      readCallback({ pix: entries }),
      readCharge({ ...cob, pix: entries }, TXID, merchant),
    ]) {
      t.equal(read.pix.length, 1);
      t.match(read.pix, once);
    }
  }
  const other = { ...refund, rtrId: 'D12345678202009092305abcdf098766' };
  const copies = [refund, other].map((one) => ({ ...bare, devolucoes: [one] }));
  t.match(readCallback({ pix: copies }).pix, [{ refunds: [{ id: 'MED' }], oddRefunds: 1 }]);
  t.equal(
    readCallback({ pix: [bare, { ...bare, valor: '1.00' }] }).pix.length,
    2,
    'they contradict each other',
  );
});

t.test('two returns that were made under one id are two: the second is not dropped', async (t) => {
  const one = { id: 'MED', rtrId: 'D12345678202009092205abcdf098765', valor: '4.00', status: 'DEVOLVIDO' };
  const other = { ...one, rtrId: 'D12345678202009092305abcdf098766' };
  const read = (...devolucoes: object[]) => readPix({ ...cob.pix[0], devolucoes });
  const both = { refunds: [{ id: 'MED', amount: 400 }], oddRefunds: 1 };
  t.match(read(one, other), both);
  t.match(read(one, { ...one, rtrId: undefined, valor: '2.00' }), both, 'of another amount');
  t.match(read(one, { ...other, status: 'EM_PROCESSAMENTO' }), both, 'on its way');
  for (const same of [one, { ...one, rtrId: undefined }, { ...other, status: 'NAO_REALIZADO' }])
    t.match(read(one, same), { refunds: [{ id: 'MED' }], oddRefunds: 0 });
});

t.test('a status in small letters, or with blanks, is that status', async (t) => {
  const refundOf = (status: string) => readRefund({ id: '123ABC', valor: '10.00', status }).status;
  for (const status of ['DEVOLVIDO', 'NAO_REALIZADO', 'EM_PROCESSAMENTO']) {
    t.equal(refundOf(status.toLowerCase()), status);
    t.equal(refundOf(` ${status}\n`), status);
  }
  t.equal(readCharge({ ...cob, status: 'Concluida ' }, TXID, merchant).status, 'CONCLUIDA');
});

t.test('texts are as PostgreSQL keeps them: without NUL and half characters', async (t) => {
  const [pix] = cob.pix;
  const rtrId = 'D12345678202009092205abcdf098765';
  const refund = { id: 'MED\0', rtrId: `${rtrId}\0\0`, valor: '4.00', natureza: 'MED\0', motivo: '\ud83d' };
  t.match(readPix({ ...pix, endToEndId: `${pix!.endToEndId}\0 `, devolucoes: [refund] }), {
    endToEndId: pix!.endToEndId,
    refunds: [{ id: 'MED', rtrId, nature: 'MED', reason: '\ufffd' }],
  });
  t.match(readCallback({ pix: [{ ...pix, txid: '\0', valor: 'odd' }] }).unreadable, [{ txid: null }]);
});

t.test('what was asked for by its id may be answered without it, and is no other', async (t) => {
  const [pix] = cob.pix;
  const { endToEndId, ...namelessPix } = pix!;
  t.equal(readPix(namelessPix, endToEndId).endToEndId, endToEndId);
  t.throws(() => readPix(pix, 'E1234567820200909122120200808009'), { message: 'pix.endToEndId' });
  t.equal(readPix(pix, endToEndId.toLowerCase()).endToEndId, endToEndId.toLowerCase(), 'in another case');
  const refund = { id: '123ABC', valor: '10.00', status: 'DEVOLVIDO' };
  t.match(readRefund({ ...refund, id: undefined }, '123ABC'), { id: '123ABC', status: 'DEVOLVIDO' });
  t.throws(() => readRefund(refund, '456DEF'), { message: 'devolucao.id' });
});

t.test('whatever a PSP answers, it is read or called unreadable', async () => {
  const [pix] = cob.pix;
  const [refund] = pix?.devolucoes ?? [];
  const almost = <T extends object>(value: T, more: string[]) =>
    fc
      .tuple(fc.constantFrom(...Object.keys(value), ...more), fc.anything())
      .map(([field, odd]) => ({ ...value, [field]: odd }));
  const refunds = fc.oneof(fc.anything(), almost(refund ?? {}, ['natureza', 'motivo']));
  const received = fc.oneof(
    refunds.map((devolucoes) => ({ ...pix, devolucoes: [devolucoes] })),
    almost(pix ?? {}, []),
  );
  const charges = fc.oneof(
    received.map((one) => ({ ...cob, pix: [one] })),
    almost(cob, ['pixCopiaECola']),
    fc.anything(),
  );
  fc.assert(fc.property(charges, (body) => readOrUnreadable(() => readCharge(body, TXID, merchant))));
  fc.assert(fc.property(received, (body) => readOrUnreadable(() => readPix(body))));
  fc.assert(fc.property(refunds, (body) => readOrUnreadable(() => readRefund(body))));
});

function readOrUnreadable(read: () => unknown): boolean {
  try {
    return read() !== undefined;
  } catch (error) {
    return error instanceof UnreadableAnswer;
  }
}
