import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { errors } from '../../http/errors/errors.ts';

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
  const [json] = texts.map(parsed).filter((value) => value !== undefined);
  return { form: json === undefined ? 'other' : 'json', json };
}

/** @returns undefined for what is no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
