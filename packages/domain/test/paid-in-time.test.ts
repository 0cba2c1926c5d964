import t from 'tap';
import { believedDeadline, believedTime, clockSkewMs } from '../src/paid-in-time.ts';

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

const ours = at(3_600);
const deadlines: [name: string, createdAt: Date | null, expiresInSeconds: number | null, end: number][] = [
  ['that agrees with ours', at(0), 3_600, 3_600],
  ['a little later, by its own clock', at(30), 3_600, 3_630],
  ['as far off as clocks may be', at(skew), 3_600, 3_600 + skew],
  ['further off', at(skew + 1), 3_600, 3_600],
  ['without a creation', null, 3_600, 3_600],
  ['without an expiry', at(0), null, 3_600],
];
for (const [name, created, expiresInSeconds, end] of deadlines) {
  t.test(`a charge ${name}`, async (t) =>
    t.same(believedDeadline(ours, { createdAt: created, expiresInSeconds }), at(end)),
  );
}
