import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { readChangedFacts } from '@payments/database/payments/payer-pages';
import { findPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PayerContext } from '../../context.ts';
import { errorAnswersOf } from '../../http/answers.ts';
import { type AddressLimit, addressTurns, limitByAddress } from '../../http/bounds.ts';
import { conditionOf, errors } from '../../http/errors/errors.ts';
import { hasCopy } from '../../pages/assets.ts';
import { type Format, type Pictured, qrImages, type Shown, sharedReading } from './images.ts';

const longestCacheSeconds = 300;
const types: Record<Format, string> = { png: 'image/png', svg: 'image/svg+xml' };
const tooManyImages = conditionOf('tooManyRequests', 'This address requested too many different images.');

const schemaOf = (format: Format) => ({
  operationId: `qrCode${format.toUpperCase()}`,
  summary: `QR code image, ${format.toUpperCase()}`,
  description:
    'The image of a payment’s copy-and-paste code. No token needed: nobody can guess the id. Once the code may not be ' +
    'paid any more, the image says so in its place (“Código encerrado”).',
  tags: ['QR code'],
  security: [],
  params: Type.Object({ id: Type.String({ description: 'Payment identifier.' }) }),
  response: {
    200: {
      description: 'The image. `Cache-Control` ends with the time to pay.',
      content: {
        [types[format]]: {
          schema: Type.Unsafe<string>({ type: 'string', contentMediaType: types[format] }),
        },
      },
    },
    304: Type.Null({ description: 'The image has not changed: `If-None-Match` has its `ETag`.' }),
    ...errorAnswersOf('qrCodeNotFound', { tooManyImages }, 'unavailable'),
  },
});

/** `GET /qr/{id}.png` and `.svg` (Contract: QR image). */
export const qrApi: FastifyPluginAsyncTypebox<{ context: PayerContext }> = async (app, { context }) => {
  await app.register(addressTurns);
  const { db, now } = context;
  const images = qrImages({
    read: (id) => readPictured(context, id),
    readNews: sharedReading((known) => readChangedFacts(db, known)),
    now,
  });
  const max = context.qrImagesPerMinute;
  const limit = max > 0 ? await limitByAddress(app, { max, windowMs: 60_000 }) : async () => undefined;
  for (const format of ['png', 'svg'] as const) {
    app.get(`/qr/:id.${format}`, { schema: schemaOf(format) }, async (request, reply) => {
      // Ids in upper and lower case share one image.
      const id = request.params.id.toLowerCase();
      if (!isId(id)) throw errors.qrCodeNotFound();
      const admit = () => refuseBeyond(limit, request);
      const shown = await images.show(id, format, admit);
      return send(request, reply, format, { ...shown, at: now() });
    });
  }
};

/** Runs before the database is read, so that floods of image requests do not delay stores. */
async function refuseBeyond(limit: AddressLimit, request: FastifyRequest): Promise<void> {
  const waitSeconds = await limit(request);
  if (waitSeconds !== undefined) throw errors.tooManyRequests(waitSeconds);
}

async function readPictured({ db }: PayerContext, id: string): Promise<Pictured> {
  const payment = await findPayment(db, id);
  if (!payment?.copyAndPaste) throw errors.qrCodeNotFound();
  const { copyAndPaste: code, test: isTest, storeId, status, expiresAt } = payment;
  return { code, isTest, storeId, facts: { id, status, expiresAt, hasCode: true } };
}

type Answer = Shown & { at: Date };

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  format: Format,
  { image, ...held }: Answer,
): FastifyReply {
  // Stores embed the image in their pages and e-mails.
  void reply.headers({
    etag: image.etag,
    'cache-control': `public, max-age=${cacheSeconds(held)}`,
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (hasCopy(request, image.etag)) return reply.code(304).send();
  return reply.type(types[format]).send(image.bytes);
}

/** A code that is paid or cancelled leaves the caches within minutes, one whose time ends leaves them then. */
function cacheSeconds({ until, at }: Omit<Answer, 'image'>): number {
  if (!until) return longestCacheSeconds;
  const left = Math.floor((until.getTime() - at.getTime()) / 1_000);
  return Math.min(longestCacheSeconds, Math.max(0, left));
}
