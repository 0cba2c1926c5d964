import type { Banks } from '@payments/pix/banks';
import t from 'tap';
import { endingCertificates } from '../../src/notices/conditions.ts';

const now = new Date('2026-11-23T12:00:00Z');
const banksOf = (ends: Record<string, string | null>) => {
  const all = Object.entries(ends).map(([id, end]) => ({
    id,
    client: { certificateEnd: () => (end === null ? null : new Date(end)) },
  }));
  return { all: () => all } as unknown as Banks;
};

t.test('a certificate is told of thirty days before it ends, and a renewed one anew', async (t) => {
  const banks = banksOf({
    none: null,
    later: '2026-12-23T12:00:01Z',
    soon: '2026-12-23T12:00:00Z',
    over: '2026-11-01T00:00:00Z',
  });
  t.match(endingCertificates(banks, now), [
    { key: 'soon 2026-12-23T12:00:00.000Z', facts: { bank: 'soon', date: '2026-12-23' } },
    { facts: { bank: 'over', date: '2026-10-31' } },
  ]);
});
