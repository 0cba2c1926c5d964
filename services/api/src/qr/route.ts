import { findPayment } from '@payments/database/payments';
import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import QRCode from 'qrcode';
import type { ApiContext } from '../context.ts';
import { errorAnswersOf } from '../docs/answers.ts';
import { errors } from '../errors/errors.ts';

const schemaOf = (format: string, type: string) => ({
  operationId: `qrCode${format}`,
  summary: `QR code image, ${format}`,
  description: 'The image of a payment’s copy-and-paste code. Needs no token: the id can’t be guessed.',
  tags: ['QR code'],
  security: [],
  params: Type.Object({ id: Type.String({ description: 'Payment identifier.' }) }),
  response: {
    200: {
      description: 'The image. A payment’s code never changes.',
      content: { [type]: { schema: Type.Unsafe<string>({ type: 'string', contentMediaType: type }) } },
    },
    ...errorAnswersOf('qrCodeNotFound', 'unavailable'),
  },
});

/** `GET /qr/{id}.png` and `.svg`: what `qrCodeUrl` points to (design 5). */
export async function qrRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  app.get<{ Params: { id: string } }>(
    '/qr/:id.png',
    { schema: schemaOf('PNG', 'image/png') },
    async (request, reply) => {
      const code = await codeOf(context, request.params.id);
      return image(reply, 'image/png', await QRCode.toBuffer(code, { type: 'png', width: 512, margin: 2 }));
    },
  );
  app.get<{ Params: { id: string } }>(
    '/qr/:id.svg',
    { schema: schemaOf('SVG', 'image/svg+xml') },
    async (request, reply) => {
      const code = await codeOf(context, request.params.id);
      return image(reply, 'image/svg+xml', await QRCode.toString(code, { type: 'svg', margin: 2 }));
    },
  );
}

async function codeOf({ db }: ApiContext, id: string): Promise<string> {
  const payment = isId(id) ? await findPayment(db, id) : undefined;
  if (!payment?.copyAndPaste) throw errors.qrCodeNotFound();
  return payment.copyAndPaste;
}

function image(reply: FastifyReply, type: string, bytes: Buffer | string): FastifyReply {
  // Stores embed it in their own pages; a payment's code never changes.
  return reply
    .type(type)
    .headers({ 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'cross-origin' })
    .send(bytes);
}
