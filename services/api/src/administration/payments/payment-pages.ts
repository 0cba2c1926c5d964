import { findPayment } from '@payments/database/payments/payments';
import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import { ownPayment } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { sendRegions } from '../kit/live.ts';
import { notice } from '../kit/notices.ts';
import { regions, showPayment } from './payment-page.ts';
import { pictureOf } from './picture-page.ts';

type Request = { Params: { id: string }; Querystring: { done?: unknown } };

/** A payment's page, its live parts, and its QR code. */
export function paymentPageRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db } = context;
  const reading = { config: { may: 'readPayments' as const } };
  app.get<Request>('/payments/:id', reading, async (request, reply) =>
    showPayment(context, request, reply, { id: request.params.id, notice: notice(request.query.done) }),
  );

  // An open page requests this every other second, which would flood the log.
  const updating = { config: { may: 'readPayments' as const, unlogged: true } };
  app.get<Request>('/payments/:id/live', updating, async (request, reply) => {
    const { actor } = request;
    const picture = await pictureOf(context, actor, request.params.id);
    return sendRegions(request, reply, (csrf) => regions(csrf, picture, { ...context, actor }));
  });

  app.get<Request>('/payments/:id/qr.svg', reading, async (request, reply) => {
    const id = await ownPayment(db, request.actor, request.params.id);
    const code = (await findPayment(db, id))?.copyAndPaste;
    if (!code) throw errors.qrCodeNotFound();
    return reply.type('image/svg+xml').send(await QRCode.toString(code, { type: 'svg', margin: 2 }));
  });
}
