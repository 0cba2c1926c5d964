import t from 'tap';
import { proveFailover } from './failover.ts';
import { txidOf } from './several.ts';

t.setTimeout(600_000);

t.test(
  'the first bank hangs, then breaks connections after it has registered',
  { timeout: 600_000 },
  async (t) => {
    const { two, shop, leftovers } = await proveFailover(t, [
      ['hangs', { hang: true }],
      ['breaks connections', { cutChargeAnswers: true }],
    ]);

    await t.test('a Pix for a charge that nobody saw went back, and is shown', async (t) => {
      t.ok(leftovers.length > 0, `${leftovers.length} were paid`);
      for (const txid of leftovers) {
        const { id } = shop.creations.find((one) => txidOf(one.id) === txid)!;
        await two.untilDetail(id, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
        const [{ endToEndId, devolucoes }] = (await two.charge('first', id)).body.pix;
        t.match(devolucoes, [{ status: 'DEVOLVIDO', valor: '10.00' }]);
        t.match(await two.detail(id), {
          status: 'pending',
          bank: 'second',
          pix: [{ endToEndId, amount: 10 }],
        });
      }
    });
  },
);
