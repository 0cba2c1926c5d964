import t from 'tap';
import { believedDeadline, believedTime, clockSkewMs, possibleTime } from '../src/paid-in-time.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-23T12:00:00Z') + seconds * 1_000);
const skew = clockSkewMs / 1_000;
const createdAt = at(0);
const receivedAt = at(600);

const times: [name: string, paidAt: number, believed: number][] = [
  ['a moment ago', 599, 599],
  ['as the payment was created', 0, 0],
  ['before the payment, within the skew', -skew, -skew],
  ['before the payment, beyond the skew', -skew - 1, 600],
  ['in the future, within the skew', 600 + skew, 600 + skew],
  ['in the future, beyond the skew', 601 + skew, 600],
];
for (const [name, paidAt, believed] of times) {
  t.test(`a Pix dated ${name}`, async (t) =>
    t.same(believedTime(at(paidAt), { createdAt, receivedAt }), at(believed)),
  );
}

// The other meaning of a time without a zone is three hours later, or earlier where its id says so.
const hours = 3_600;
const readings: [name: string, paidAt: number, otherwise: number | undefined, now: number, read: number][] = [
  ['possible in one meaning', 599, 599 + 3 * hours, 600, 599],
  ['possible in the other alone', 599 - 3 * hours, 599, 600, 599],
  ['in the future in the first meaning', 599 + 3 * hours, 599, 600, 599],
  ['possible in both', 60, 60 + 3 * hours, 4 * hours, 60],
  ['possible in both, the later one first', 60 + 3 * hours, 60, 4 * hours, 60 + 3 * hours],
  ['impossible in both', -9 * hours, -6 * hours, 600, -9 * hours],
  ['with a zone', -9 * hours, undefined, 600, -9 * hours],
  ['at the end of the skew in the other', -skew - 3 * hours, -skew, 600, -skew],
];
for (const [name, paidAt, otherwise, seen, read] of readings) {
  t.test(`a time ${name}`, async (t) => {
    const other = otherwise === undefined ? undefined : at(otherwise);
    t.same(possibleTime(at(paidAt), other, { createdAt, receivedAt: at(seen) }), at(read));
  });
}

const ours = at(3_600);
const deadlines: [name: string, createdAt: Date | null, expiresInSeconds: number | null, end: number][] = [
  ['that agrees with ours', at(0), 3_600, 3_600],
  ['a little later, by its own clock', at(30), 3_600, 3_630],
  ['as far off as clocks may be', at(skew), 3_600, 3_600 + skew],
  ['further off', at(skew + 1), 3_600, 3_600],
  ['without a creation', null, 3_600, 3_600],
  ['without an expiry', at(0), null, 3_600],
  ['without an expiry, created just before ours', at(3_540), null, 3_600],
];
for (const [name, created, expiresInSeconds, end] of deadlines) {
  t.test(`a charge ${name}`, async (t) =>
    t.same(believedDeadline(ours, { createdAt: created, expiresInSeconds }), at(end)),
  );
}
