import fc from 'fast-check';
import t from 'tap';
import {
  createdAtOf,
  eventIdOf,
  firstIdOf,
  isId,
  knownAs,
  newId,
  paymentIdOf,
  refundIdOf,
  refundOrdinalOf,
  txidOf,
} from '../src/identifiers.ts';

t.test('ids are UUIDv7 in the order of their creation', async (t) => {
  const ids = Array.from({ length: 1_000 }, newId);
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  t.ok(ids.every((id) => form.test(id) && isId(id)));
  t.strictSame(ids, [...ids].sort());
  t.equal(new Set(ids).size, 1_000);
});

t.test('an id begins with its time, also by a clock that runs behind', async (t) => {
  newId();
  for (const text of ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.677Z', '2025-12-31T23:59:59.999Z']) {
    const at = new Date(text);
    t.strictSame(createdAtOf(newId(at)).getTime() - at.getTime() < 2, true);
    t.ok(createdAtOf(newId(at)) >= at);
  }
  const before = Date.now();
  const made = createdAtOf(newId()).getTime();
  t.ok(made >= before && made <= Date.now() + 1);
});

t.test('more ids than a millisecond has places for go on in the next one', async (t) => {
  const at = new Date(Date.now() + 86_400_000);
  const ids = Array.from({ length: 4_097 }, () => newId(at));
  t.strictSame(ids, [...ids].sort());
  t.same(createdAtOf(ids[4_095]!), at);
  t.same(createdAtOf(ids[4_096]!), new Date(at.getTime() + 1));
});

t.test('a clock that is set back by more than a second begins anew', async (t) => {
  const at = Date.now() + 2 * 86_400_000;
  const timeAt = (ms: number) => createdAtOf(newId(new Date(ms))).getTime() - at;
  t.same([at, at - 1_000, at - 1_001].map(timeAt), [0, 0, -1_001]);
});

t.test('the first id of a moment is not above any other of it', async (t) => {
  const at = new Date('2026-11-23T12:00:00Z');
  t.equal(firstIdOf(at), '01a20846-fe00-7000-8000-000000000000');
  t.equal(firstIdOf(new Date(5)), '00000000-0005-7000-8000-000000000000');
  t.equal(firstIdOf(new Date(-1)), '00000000-0000-7000-8000-000000000000');
  t.ok(isId(firstIdOf(at)) && firstIdOf(at) <= newId(at));
});

const id = '0190a5b0-1234-7abc-8def-0123456789ab';
const texts: [text: string, is: boolean][] = [
  [id, true],
  [id.toUpperCase(), true],
  ['', false],
  ['7', false],
  [id.replaceAll('-', ''), false],
  [`{${id}}`, false],
  [`urn:uuid:${id}`, false],
  [` ${id}`, false],
  [`${id}\n`, false],
  [`${id}0`, false],
  [id.slice(1), false],
  [id.replace('a', 'g'), false],
  [id.replace('0', '٠'), false],
  [`${id}\0`, false],
];
for (const [text, is] of texts) {
  t.test(`${JSON.stringify(text)} ${is ? 'can' : 'can’t'} be an id`, async (t) => t.equal(isId(text), is));
}

t.test('a txid is the id without dashes: within the 26 to 35 characters of the API Pix 2.9', async (t) => {
  t.equal(txidOf(id), '0190a5b012347abc8def0123456789ab');
  fc.assert(fc.property(fc.uuid({ version: 7 }), (uuid) => /^[a-zA-Z0-9]{26,35}$/.test(txidOf(uuid))));
});

t.test('a txid gives its payment’s id', async () => {
  fc.assert(fc.property(fc.uuid({ version: 7 }), (uuid) => paymentIdOf(txidOf(uuid)) === uuid));
});

t.test('a txid in capitals is the same', async (t) => {
  t.equal(paymentIdOf(txidOf(id).toUpperCase()), id);
});

for (const txid of [
  '',
  'x',
  id,
  `${txidOf(id)}0`,
  `0${txidOf(id)}`,
  txidOf(id).slice(1),
  txidOf(id).replace('a', 'z'),
]) {
  t.test(`${JSON.stringify(txid)} is no txid of ours`, async (t) => t.equal(paymentIdOf(txid), undefined));
}

t.test('a txid that is a UUID of another version is not ours', async () => {
  fc.assert(
    fc.property(fc.uuid({ version: [1, 4, 5] }), (id) => paymentIdOf(id.replaceAll('-', '')) === undefined),
  );
});

t.test('a refund’s id follows from its Pix and its ordinal', async (t) => {
  const id = refundIdOf('E1234567820260101120000000000001', 1);
  t.match(id, /^[a-zA-Z0-9]{1,35}$/);
  t.equal(refundIdOf('E1234567820260101120000000000001', 1), id);
  t.not(refundIdOf('E1234567820260101120000000000001', 2), id);
  t.not(refundIdOf('E1234567820260101120000000000002', 1), id);
});

const pix = 'E1234567820260101120000000000001';
const returns: [what: string, id: string, ordinal: number | null][] = [
  ['the first', refundIdOf(pix, 1), 1],
  ['the last that is looked for', refundIdOf(pix, 100), 100],
  ['one beyond', refundIdOf(pix, 101), null],
  ['another Pix’s', refundIdOf('E1234567820260101120000000000002', 1), null],
  ['the bank’s, of the same form', '0'.repeat(32), null],
  ['the bank’s, of another form', 'MED1', null],
];
for (const [what, id, ordinal] of returns) {
  t.test(`which of our refunds a return is: ${what}`, async (t) =>
    t.equal(refundOrdinalOf(pix, id), ordinal),
  );
}

const other = '0190a5b0-1234-7abc-8def-0123456789ac';
const events: [what: string, id: string, isSame: boolean][] = [
  ['the same event', eventIdOf(id, 2, 'approved'), true],
  ['another status', eventIdOf(id, 2, 'review'), false],
  ['another place in the payment’s history', eventIdOf(id, 3, 'approved'), false],
  ['another payment of the same moment', eventIdOf(other, 2, 'approved'), false],
  ['a sequence that has no room', eventIdOf(id, 2 + 4_096, 'approved'), false],
];
for (const [what, eventId, isSame] of events) {
  t.test(`an event’s id: ${what}`, async (t) => {
    t.match(eventId, /^0190a5b0-1234-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    t.equal(eventId === '0190a5b0-1234-8002-804f-e68b7443a801', isSame);
  });
}

const cases: [what: string, id: string, known: string[], as: string][] = [
  ['a new Pix', 'E1a', ['E2a'], 'E1a'],
  ['a known one', 'E1a', ['E1A', 'E1a'], 'E1a'],
  ['a known one in another case', 'E1A', ['E1a'], 'E1a'],
];
for (const [what, id, known, as] of cases)
  t.test(`the endToEndId on record of ${what}`, async (t) => t.equal(knownAs(id, known), as));
