import type { ReceivedPix, Refund } from '@payments/pix/client';
import t from 'tap';
import { toldOf } from '../../src/pix/on-record.ts';

const pix = (endToEndId: string, txid: string | null, more: Partial<ReceivedPix> = {}): ReceivedPix => ({
  endToEndId,
  txid,
  key: null,
  amount: 1_000,
  paidAt: new Date('2026-11-23T15:00:00Z'),
  refunds: [],
  oddRefunds: 0,
  ...more,
});
const refund = (id: string, status: Refund['status']) => ({ id, status }) as Refund;

t.test('what a list tells of each charge', async (t) => {
  const told = toldOf({
    pix: [
      pix('E1', 'T1', { refunds: [refund('D1', 'DEVOLVIDO'), refund('D2', 'NAO_REALIZADO')] }),
      pix('E2', 'T2'),
      pix('E3', 'T1', { refunds: [refund('D3', 'NAO_REALIZADO')], oddRefunds: 2 }),
      pix('E5', 'T1', { oddRefunds: 1, areOddMade: true }),
      pix('E4', null, { refunds: [refund('D4', 'DEVOLVIDO')] }),
    ],
    unreadable: [
      { txid: 'T2', key: null, endToEndId: null },
      { txid: 'T3', key: null, endToEndId: null, oddRefunds: 1, refunds: [refund('D5', 'DEVOLVIDO')] },
      { txid: 'T4', key: null, endToEndId: 'E6', refunds: [refund('D6', 'EM_PROCESSAMENTO')] },
      { txid: 'T4', key: null, endToEndId: 'E7' },
    ],
  });
  t.strictSame(told, [
    {
      txid: 'T1',
      endToEndIds: ['E1', 'E3', 'E5'],
      returns: [
        { endToEndId: 'E1', id: 'D1', state: 'refunded' },
        { endToEndId: 'E1', id: 'D2', state: 'failed' },
        { endToEndId: 'E3', id: 'D3', state: 'failed' },
        { endToEndId: 'E3', id: null, state: 'processing', of: 2 },
        { endToEndId: 'E5', id: null, state: 'refunded', of: 1 },
      ],
    },
    // Without an id of its Pix, neither it nor its return can be followed: its charge is read.
    { txid: 'T2', endToEndIds: ['E2'], returns: [], pixTold: 2 },
    { txid: 'T3', endToEndIds: [], returns: [], pixTold: 1 },
    { txid: 'T4', endToEndIds: ['E6', 'E7'], returns: [{ endToEndId: 'E6', id: 'D6', state: 'processing' }] },
  ]);
});

t.test('a list of nothing tells nothing', async (t) => {
  t.same(toldOf({ pix: [], unreadable: [] }), []);
});
