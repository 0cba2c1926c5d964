import type { Server as TlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Bank } from '@payments/pix/banks';
import { readCallback } from '@payments/pix/callback';
import type { PixEntries } from '@payments/pix/client';
import { parseJson } from '@payments/pix/json';
import { isSameKey } from '@payments/pix/keys';
import { openTlsFiles, type TlsMaterial, type UnusableFile } from '@payments/pix/tls-files';
import { ConfigurationError } from '@payments/runtime/environment';
import { atBankOf } from '@payments/settlement/context';
import { ofOurs, toldOf } from '@payments/settlement/pix/on-record';
import type { Settled } from '@payments/settlement/pix/settle-charge';
import { settleTold } from '@payments/settlement/pix/settle-told';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isSecret } from '../../access/secrets.ts';
import type { CallbackContext, ListenerContext } from '../../context.ts';
import { atMostEach } from '../../http/bounds.ts';
import { errors } from '../../http/errors/errors.ts';
import { createServer, draining } from '../../http/server.ts';
import type { ApiSettings } from '../../settings.ts';
import { beginRefunds } from '../refunds/actions.ts';

/** The longest body, as sent and unpacked: some two thousand Pix with every field of API Pix. */
export const longestBodyBytes = 1_024 * 1_024;

/** A callback's body; `json` is undefined unless it was JSON. */
export type CallbackBody = { form: 'empty' | 'json' | 'other'; json: unknown };

/**
 * Reads a callback's body in any form that banks and the proxies before us may give it: packed by gzip, with a byte
 * order mark, in another charset. The body only names charges to look at, so a damaged character does no harm.
 * @param contentType the header; its charset counts where the body has no byte order mark, else UTF-8
 * @throws ApiError (413) for a body that is too long once it is unpacked
 */
export async function readBody(bytes: Buffer, contentType: string | undefined): Promise<CallbackBody> {
  const unpacked = await unpack(bytes);
  if (!unpacked) return { form: 'other', json: undefined };
  // A charset that is named wrongly is no reason to lose what UTF-8 reads.
  const texts = [decode(unpacked, contentType), decode(unpacked, undefined)].map((text) => text.trim());
  if (texts[0] === '') return { form: 'empty', json: undefined };
  const [json] = texts.map(parseJson).filter((value) => value !== undefined);
  return { form: json === undefined ? 'other' : 'json', json };
}

const unzip = promisify(gunzip);

/**
 * Looks at the bytes instead of `Content-Encoding`, because proxies unpack bodies and leave the header. No text begins
 * with gzip's first bytes.
 * @returns undefined for damaged gzip
 */
async function unpack(bytes: Buffer): Promise<Buffer | undefined> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: longestBodyBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw errors.bodyTooLarge();
    return undefined;
  }
}

const byteOrderMarks: [mark: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** The decoder removes the byte order mark, and replaces what is no character. */
function decode(bytes: Buffer, contentType: string | undefined): string {
  const marked = byteOrderMarks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  const named = /;\s*charset="?([\w.:-]+)/i.exec(contentType ?? '')?.[1];
  return decoderOf(marked?.[1] ?? named ?? 'utf-8').decode(bytes);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/**
 * Callbacks share database connections with stores' requests. These limits leave connections for the stores, and turns
 * for the other banks while one answers slowly.
 */
export const settling = { all: { running: 40, waiting: 1_000 }, each: { running: 32, waiting: 500 } };
// Banks try the registered address with a slash at its end, too.
const paths = ['', '/', '/pix', '/pix/'];

/** @property takes whether this listener takes a bank's callbacks; by default it takes all banks' */
type CallbackOptions = { context: CallbackContext; takes?: (bank: Bank) => boolean };

/**
 * The banks' callbacks, each at an address of its own. A callback only says which charges to look at: each is read from
 * the bank before anything is believed. It is answered 200 after the commit. The bank may repeat what was not answered
 * so; the scans find what it does not repeat.
 * Banks also try the address, by GET, HEAD or OPTIONS, with an empty body or with a word of their own: all that names no
 * Pix is answered 200.
 */
export const pixCallback: FastifyPluginAsyncTypebox<CallbackOptions> = async (
  app,
  { context, takes = () => true },
) => {
  const settle = atMostEach(settling);
  // This check runs before the body is parsed, so that a stranger costs no parsing.
  const bankOf = ({ params }: FastifyRequest): Bank => {
    const { secret } = params as { secret: string };
    const bank = context.banks
      .all()
      .find((one) => context.adminKeys.some((key) => isSecret(secret, one.callbackSecret(key))));
    if (!bank || !takes(bank)) throw errors.routeNotFound();
    return bank;
  };
  const onRequest = async (request: FastifyRequest) => void bankOf(request);
  const options = { schema: { hide: true }, bodyLimit: longestBodyBytes, onRequest };
  const answerTrial = async (_request: FastifyRequest, reply: FastifyReply) => reply.code(200).send();
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const here = atBankOf(context, bankOf(request).id);
    const { form, json } = (request.body ?? noBody) as CallbackBody;
    const told = toldOf(await ofOurs(here, ofKey(here.pix.key, readCallback(json))));
    if (told.length === 0) {
      request.log.info({ bank: here.bank, body: form }, 'a callback names no Pix of ours');
      return reply.code(200).send();
    }
    // Each refund causes a callback: one that started other due refunds would set off a chain.
    const onSettled = ({ payment: { id: paymentId, storeId: turnOf }, refunds: limit }: Settled) => {
      if (limit > 0) beginRefunds(here, { bank: here.bank, turnOf, limit, paymentId }, request.log);
    };
    const settled = settle(here.bank, () => settleTold(here, told, { requestId: request.id, onSettled }));
    if (!settled) throw errors.unavailable();
    await settled;
    return reply.code(200).send();
  };
  takeAnyType(app);
  for (const path of paths) {
    const url = `/pix-callback/:secret${path}`;
    app.route({ ...options, url, method: ['GET', 'OPTIONS'], handler: answerTrial });
    app.route({ ...options, url, method: ['POST', 'PUT'], handler });
  }
};

const noBody: CallbackBody = { form: 'empty', json: undefined };

/** Banks name other types for their JSON, none, or what is no type at all, which Fastify would refuse by itself. */
function takeAnyType(app: FastifyInstance): void {
  const named = new WeakMap<object, string>();
  app.addHook('onRequest', async ({ raw }) => {
    const { 'content-type': type } = raw.headers;
    if (type === undefined) return;
    named.set(raw, type);
    raw.headers['content-type'] = 'application/octet-stream';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async ({ raw }: FastifyRequest, bytes: Buffer) =>
    readBody(bytes, named.get(raw)),
  );
}

/** An account may have several keys. What a callback names for another is left to the lists. */
function ofKey(own: string, { pix, unreadable }: PixEntries): PixEntries {
  const isOurs = ({ key }: { key: string | null }) => isSameKey(own, key);
  return { pix: pix.filter(isOurs), unreadable: unreadable.filter(isOurs) };
}

/** The callback's own listener: certificate, its key, and the authorities of the banks' certificates, PEM files. */
export type Door = { port: number; tls: { certFile: string; keyFile: string; caFile: string } | null };

/**
 * @returns the listener that is asked for; undefined where the bank's callback comes to the public one
 * @throws ConfigurationError where files are missing
 */
export function doorOf(settings: ApiSettings): Door | undefined {
  const {
    PIX_CALLBACK_PORT: port,
    PIX_CALLBACK_CERT_FILE: certFile,
    PIX_CALLBACK_KEY_FILE: keyFile,
    PIX_CALLBACK_CA_FILE: caFile,
  } = settings;
  const files = {
    PIX_CALLBACK_CERT_FILE: certFile,
    PIX_CALLBACK_KEY_FILE: keyFile,
    PIX_CALLBACK_CA_FILE: caFile,
  };
  const given = Object.values(files).some(Boolean);
  const missing = Object.entries(files).find(([, file]) => !file)?.[0];
  if (given && missing)
    throw new ConfigurationError(`${missing} is required with the callback's other files`);
  if (given && port === undefined)
    throw new ConfigurationError('PIX_CALLBACK_PORT is required with its files');
  if (port === undefined) return undefined;
  return { port, tls: certFile && keyFile && caFile ? { certFile, keyFile, caFile } : null };
}

/**
 * @returns a listener for the callback alone. With files, who has no certificate of the banks' authorities does not get
 *   in, and stores need none; without, TLS and the banks' certificates are an ingress's business
 * @throws ConfigurationError for files that can't be used
 */
export async function buildDoor(
  { tls }: Door,
  context: CallbackContext & ListenerContext,
  log: Logger,
): Promise<FastifyInstance> {
  const { httpMetrics: metrics, trustProxy, keepAliveSeconds } = context;
  const files = tls && openFiles(tls, log);
  const https = files && { ...files.current(), requestCert: true, rejectUnauthorized: true };
  const options = { log, metrics, listener: 'callback' as const, trustProxy, keepAliveSeconds };
  const app = await createServer({ ...options, ...(https && { https }) });
  await app.register(draining, { isAccepting: context.isAccepting });
  await app.register(pixCallback, { context });
  if (files) followFiles(app.server as unknown as TlsServer, files, log);
  return app;
}

function openFiles(tls: NonNullable<Door['tls']>, log: Logger) {
  try {
    return openTlsFiles(tls, Date.now, (error) => log.error(`${inWords(error)}; the old one stays in use`));
  } catch (error) {
    throw new ConfigurationError(inWords(error as UnusableFile));
  }
}

const variables: Record<string, keyof ApiSettings> = {
  certFile: 'PIX_CALLBACK_CERT_FILE',
  keyFile: 'PIX_CALLBACK_KEY_FILE',
  caFile: 'PIX_CALLBACK_CA_FILE',
};

function inWords({ file, message }: UnusableFile): string {
  return `${variables[file]} can't be used: ${message}`;
}

/** Each new connection gets the files as they are now. */
function followFiles(server: TlsServer, files: { changed(): TlsMaterial | null }, log: Logger): void {
  // Before Node's own listener, which begins the handshake.
  server.prependListener('connection', () => {
    const material = files.changed();
    if (!material) return;
    server.setSecureContext(material);
    log.info('the callback has new certificate files');
  });
}
