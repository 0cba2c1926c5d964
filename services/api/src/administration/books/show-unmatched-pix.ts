import { listUnmatchedPix, type UnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { sendPage } from '../kit/layout.ts';
import { pageIn, pagination } from '../kit/tables.ts';
import { type UndoneReturn, unmatchedPixTable } from './unmatched-pix-table.ts';

const path = '/panel/unmatched-pix';

/** Sends the current page of unmatched Pix. */
export async function showUnmatchedPix(
  { db, now }: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  notice: SafeHtml,
  undone?: UndoneReturn,
): Promise<FastifyReply> {
  const page = pageIn(request.query);
  const { items, total } = await listUnmatchedPix(db, page);
  const withRefunds = async (pix: UnmatchedPix) => ({
    pix,
    refunds: await listRefundsOfPix(db, [pix.endToEndId]),
  });
  const all = await Promise.all(items.map(withRefunds));
  return sendPage(request, reply, {
    title: 'Pix sem pagamento',
    section: 'unmatched-pix',
    content: (csrf) => html`<h1>Pix sem pagamento</h1>${notice}
      <p class="muted">Pix que o banco recebeu e que não correspondem a nenhum pagamento. O serviço continua tentando conciliá-los. Você também pode devolver o valor.</p>
      <div class="card flush">${unmatchedPixTable(csrf, all, { now: now(), undone })}</div>
      ${pagination({ ...page, total }, path)}`,
  });
}
