import { findPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { sendRegions } from '../live/live.ts';
import { notice } from '../page/notices.ts';
import { regions } from './payment-page.ts';
import { pictureOf } from './picture.ts';
import { showPayment } from './show-payment.ts';

type Request = { Params: { id: string }; Querystring: { done?: unknown } };

/** A payment's page, its live parts, and its QR code. */
export function paymentPageRoutes(app: FastifyInstance, context: ApiContext): void {
  const { db } = context;
  app.get<Request>('/payments/:id', async (request, reply) =>
    showPayment(context, request, reply, { id: request.params.id, notice: notice(request.query.done) }),
  );

  // An open page requests this every other second, which would flood the log.
  app.get<Request>('/payments/:id/live', { config: { unlogged: true } }, async (request, reply) => {
    const picture = await pictureOf(context, request.params.id);
    return sendRegions(request, reply, (csrf) => regions(csrf, picture, context));
  });

  app.get<Request>('/payments/:id/qr.svg', async (request, reply) => {
    const { id } = request.params;
    const code = isId(id) ? (await findPayment(db, id))?.copyAndPaste : undefined;
    if (!code) throw errors.qrCodeNotFound();
    return reply.type('image/svg+xml').send(await QRCode.toString(code, { type: 'svg', margin: 2 }));
  });
}
