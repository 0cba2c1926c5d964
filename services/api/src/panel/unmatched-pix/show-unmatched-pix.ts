import { listUnmatchedPix, type UnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { readPage } from '../../field-values.ts';
import { html, type SafeHtml } from '../../html.ts';
import { textOf } from '../forms/form-values.ts';
import { linkTo, pagination } from '../page/pagination.ts';
import { sendPage } from '../page/send-page.ts';
import { type UndoneReturn, unmatchedPixTable } from './unmatched-pix-table.ts';

const path = '/panel/unmatched-pix';

/** Answers with the page of Pix that fit no payment, as they are now. */
export async function showUnmatchedPix(
  { db }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  notice: SafeHtml,
  undone?: UndoneReturn,
): Promise<FastifyReply> {
  const page = readPage({ page: textOf(request.query, 'page') || undefined });
  const { items, total } = await listUnmatchedPix(db, page);
  const withRefunds = async (pix: UnmatchedPix) => ({
    pix,
    refunds: await listRefundsOfPix(db, pix.endToEndId),
  });
  const all = await Promise.all(items.map(withRefunds));
  return sendPage(request, reply, {
    title: 'Pix sem pagamento',
    section: 'payments',
    content: (csrf) => html`<h1>Pix sem pagamento</h1>${notice}
      <p class="muted">O banco os recebeu, e nenhum pagamento os explica. O serviço tenta de novo até encontrar o lugar deles ou alguém os devolver.</p>
      <div class="card flush">${unmatchedPixTable(csrf, all, undone)}</div>
      ${pagination({ ...page, total }, (number) => linkTo(path, { page: number }))}`,
  });
}
