import t from 'tap';
import { readPix } from '../src/answers.ts';
import { END_TO_END_ID } from './psp.ts';

const rtrId = 'D12345678202009092205abcdf098765';
const one = { id: 'MED1', rtrId, valor: '4.00', status: 'DEVOLVIDO' };
const read = (...devolucoes: object[]) =>
  readPix({ endToEndId: END_TO_END_ID, valor: '10.00', horario: '2020-09-09T20:15:00Z', devolucoes });

t.test('an rtrId in capitals, or with blanks around it, is that rtrId', async (t) => {
  for (const same of [rtrId.toUpperCase(), ` ${rtrId}\n`])
    t.match(read(one, { ...one, rtrId: same }), { refunds: [{ id: 'MED1', rtrId }], oddRefunds: 0 });
});

t.test('a natureza in small letters, or with blanks, is that natureza', async (t) => {
  t.match(read({ ...one, natureza: ' med_fraude ' }).refunds, [{ nature: 'MED_FRAUDE' }]);
  t.match(read({ ...one, natureza: ' ' }).refunds, [{ nature: null }]);
});

t.test('a copy of a return fills in what the other lacks', async (t) => {
  const settled = { liquidacao: '2020-09-09T22:06:00Z' };
  const whole = { ...one, natureza: 'MED_FRAUDE', motivo: 'golpe', horario: settled };
  const told = { rtrId, nature: 'MED_FRAUDE', reason: 'golpe', settledAt: new Date(settled.liquidacao) };
  const bare = { ...one, rtrId: undefined };
  t.match(read(bare, whole).refunds, [told]);
  t.match(read(whole, bare).refunds, [told]);
});

t.test('a copy of another status gives neither its time nor its reason', async (t) => {
  const failed = { ...one, status: 'NAO_REALIZADO', natureza: 'MED_FRAUDE', motivo: 'conta encerrada' };
  const [refund] = read({ ...failed, horario: { liquidacao: '2020-09-09T22:06:00Z' } }, one).refunds;
  t.match(refund, { status: 'DEVOLVIDO', nature: 'MED_FRAUDE', reason: null, settledAt: null });
});

t.test('a return without an id that was not made leaves no doubt', async (t) => {
  const nameless = { valor: '4.00' };
  for (const status of ['NAO_REALIZADO', ' nao_realizado '])
    t.match(read({ ...nameless, status }), { refunds: [], oddRefunds: 0, areOddMade: undefined });
  t.match(read({ ...nameless, status: 'EM_PROCESSAMENTO' }), { oddRefunds: 1, areOddMade: undefined });
  for (const status of ['DEVOLVIDO', 'OUTRO', undefined])
    t.match(read({ ...nameless, status }), { oddRefunds: 1, areOddMade: true });
});
