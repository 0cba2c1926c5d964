import type { FastifyInstance } from 'fastify';
import { showChargePlainly } from '../api-pix/show-charge-now.ts';
import { expiresAt, findCharge } from '../charges.ts';
import { settleDue } from '../refunds.ts';
import { instant, showPix } from '../shapes.ts';

/**
 * Without a token: `GET /bank/charges`, the charges that this bank has or had, by `txid` and with what the payer reads of
 * them; `GET /bank/charges/{txid}`, a charge with its Pix and their refunds.
 */
export function charge(app: FastifyInstance): void {
  app.get('/bank/charges', async () => ({
    charges: [...app.bank.ledger.charges.values()].map(({ txid, terms: { infoAdicionais = [] } }) => ({
      txid,
      infoAdicionais,
    })),
  }));
  app.get<{ Params: { txid: string } }>('/bank/charges/:txid', async (request) => {
    settleDue(app.bank);
    const found = findCharge(app.bank, request.params.txid);
    return {
      ...showChargePlainly(app.bank, found),
      expiraEm: instant(expiresAt(found)),
      pix: app.bank.ledger.pixOf(found.txid).map((pix) => ({ devolucoes: [], ...showPix(pix) })),
    };
  });
}
