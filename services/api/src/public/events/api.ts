import { createHash } from 'node:crypto';
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import {
  type FedEvent,
  type FeedPlace,
  feedStart,
  findFeedPlace,
  readFeed,
} from '@payments/database/events/feed';
import { type EventType, eventTypes, webhookBody } from '@payments/domain/events';
import type { PublicContext } from '../../context.ts';
import { answerOf, errorAnswersOf, skipValidation } from '../../http/answers.ts';
import { field, rules } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import {
  ofPage,
  ofRange,
  pageQuery,
  rangeQuery,
  readOneOf,
  readPage,
  readRange,
} from '../../http/readers.ts';
import { feedExamples } from '../payments/examples.ts';
import { ofStoreRequest, requestIdHeader, storeOperation } from '../store-authentication.ts';

/** Where a reader of a store's feed is: after this place, and without what occurred before `from`. */
export type Cursor = FeedPlace & { from?: Date | undefined };

// place 8, sequence 4, id 16, from 8, and the check.
const contentBytes = 36;
const checkBytes = 4;
const noTime = -1n;

/**
 * @returns a cursor as the store gets it. Nobody but this store can use it, and a changed or cut one is noticed; it
 * holds no secret
 */
export function writeCursor(storeId: string, { place, sequence, id, from }: Cursor): string {
  const content = Buffer.alloc(contentBytes);
  content.writeBigInt64BE(BigInt(place), 0);
  content.writeInt32BE(sequence, 8);
  content.write(id.replaceAll('-', ''), 12, 'hex');
  content.writeBigInt64BE(from === undefined ? noTime : BigInt(from.getTime()), 28);
  return Buffer.concat([content, checkOf(storeId, content)]).toString('base64url');
}

/** @returns the cursor; undefined for a text that is none, or another store's */
export function readCursor(storeId: string, text: string): Cursor | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== contentBytes + checkBytes || bytes.toString('base64url') !== text) return undefined;
  const content = bytes.subarray(0, contentBytes);
  if (!checkOf(storeId, content).equals(bytes.subarray(contentBytes))) return undefined;
  const time = content.readBigInt64BE(28);
  const from = time === noTime ? undefined : new Date(Number(time));
  // The check tells damage, and no forgery: the store can make any cursor, also with a time that PostgreSQL does not know.
  if (from && !(from.getUTCFullYear() > 0)) return undefined;
  return {
    place: content.readBigInt64BE(0).toString(),
    sequence: content.readInt32BE(8),
    id: content.toString('hex', 12, 28).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    from,
  };
}

function checkOf(storeId: string, content: Buffer): Buffer {
  return createHash('sha256').update(storeId).update(content).digest().subarray(0, checkBytes);
}

const { limit: limitQuery } = pageQuery('Events');
const { limitNotAnInteger, limitTooLow, limitTooHigh } = ofPage;
const { fromInvalid } = ofRange;

export const EventList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: Type.String({ format: 'uuid', description: 'The event’s id: the `webhook-id` of its webhook.' }),
        type: Type.Unsafe<EventType>({
          type: 'string',
          'x-extensible-enum': eventTypes,
          description: 'The kind of event. The list may grow: skip a type that you don’t know.',
        }),
        occurredAt: Type.String({ format: 'date-time', description: 'When it happened.' }),
        paymentId: Type.String({ format: 'uuid', description: 'The payment that it is about.' }),
        body: Type.Unknown({ description: 'Exactly the body of the event’s webhook.' }),
      }),
      { description: 'Events, oldest first. A payment’s events keep their order.' },
    ),
    next: Type.String({ description: 'Cursor for the next page. It is here after an empty page, too.' }),
  },
  { $id: 'EventList', description: 'A page of the store’s events.' },
);

const reading = {
  ...storeOperation,
  tags: ['Events'],
  operationId: 'listEvents',
  summary: 'List events of the store',
  description:
    'Every event of the store’s payments, oldest first, with or without a `webhookUrl`. Follow `next` and keep it: you ' +
    'get each event exactly once, whatever happens at the same time. After an empty page, ask again with its `next` a ' +
    'little later, or at once if it differs from your `after`: a page passes over 20,000 events at most, also of those ' +
    'that `type` and `from` leave out.',
  querystring: Type.Object({
    after: Type.Optional(
      Type.String({
        description: 'The `next` of an earlier page. Without it, the list begins with the first event.',
      }),
    ),
    limit: limitQuery,
    type: Type.Optional(
      Type.Unsafe<EventType>({ type: 'string', enum: eventTypes, description: 'Only events of this type.' }),
    ),
    from: rangeQuery('events that happened').from,
  }),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('A page of events.', Type.Ref('EventList'), feedExamples),
    ...errorAnswersOf(
      ...ofStoreRequest,
      'cursorInvalid',
      { limitNotAnInteger, limitTooLow, limitTooHigh },
      { typeUnknown: field('type', rules.oneOf(eventTypes), '`type` is not an event’s type.'), fromInvalid },
    ),
  },
};

/** The store's feed of events (Contract: feed). */
export const eventsApi: FastifyPluginAsyncTypebox<{ context: PublicContext }> = async (app, { context }) => {
  const { db, storeTurns } = context;
  // `readFeedQuery` validates instead of the schema.
  app.setValidatorCompiler(skipValidation.validatorCompiler);
  app.get('/events', { schema: reading }, async ({ store, query }, reply) => {
    const { after, type, limit, from } = readFeedQuery(store.id, query);
    const { begin, events, reached } = await storeTurns(store.id, async () => {
      const begin = after ?? { ...(from ? await findFeedPlace(db, store.id, from) : feedStart), from };
      const feed = { storeId: store.id, after: begin, from: begin.from, type, limit };
      return { begin, ...(await readFeed(db, feed)) };
    });
    const { place, sequence, id } = reached;
    const next = writeCursor(store.id, { place, sequence, id, from: begin.from });
    return reply
      .type('application/json; charset=utf-8')
      .send(`{"items":[${events.map(itemOf).join()}],"next":"${next}"}`);
  });
};

/** The body's bytes are the webhook's, so the item is text, too. */
function itemOf({ id, type, occurredAt, paymentId, ...content }: FedEvent): string {
  const about = JSON.stringify({ id, type, occurredAt: occurredAt.toISOString(), paymentId }).slice(0, -1);
  return `${about},"body":${webhookBody({ type, ...content })}}`;
}

type FeedQuery = {
  after: Cursor | undefined;
  type: EventType | undefined;
  limit: number;
  from: Date | undefined;
};

/** @throws ApiError 400 for the first wrong parameter, in the order after, limit, type, from */
function readFeedQuery(storeId: string, query: Record<string, unknown>): FeedQuery {
  const { after, limit, type, from } = query;
  const cursor = typeof after === 'string' ? readCursor(storeId, after) : undefined;
  if (after !== undefined && !cursor) throw errors.cursorInvalid();
  return {
    after: cursor,
    limit: readPage({ limit }).limit,
    type: type === undefined ? undefined : readOneOf('type', type, eventTypes),
    from: readRange({ from }).since,
  };
}
