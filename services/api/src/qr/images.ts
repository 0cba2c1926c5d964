import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import QRCode from 'qrcode';
import { atMost } from '../at-most.ts';
import { errors } from '../errors/errors.ts';

export type Format = 'png' | 'svg';
export type Image = { bytes: Buffer; etag: string };

export type Images = {
  /** @returns the image if this process has it in memory */
  drawn(id: string, format: Format): Image | undefined;
  /**
   * @param admit called once for all concurrent requests of the image; a rejection prevents the drawing
   * @throws the rejection of `admit`; ApiError 404 without a code, 503 while too many images wait
   */
  draw(id: string, format: Format, admit: () => Promise<void>): Promise<Image>;
};

// Drawing blocks the event loop for milliseconds. The last image of a full queue waits about two seconds.
const drawing = { running: 1, waiting: 100 };
const keptBytes = 16 * 1_024 * 1_024;
const entryBytes = 512;

/**
 * Draws each image once and keeps it in memory: a payment's code never changes.
 * @param codeOf reader of a payment's copy-and-paste code
 */
export function qrImages(codeOf: (id: string) => Promise<string>): Images {
  const kept = new LRUCache<string, Image>({
    maxSize: keptBytes,
    sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
  });
  const underWay = new Map<string, Promise<Image>>();
  const render = atMost(drawing);

  const drawAnew = async (id: string, format: Format, admit: () => Promise<void>): Promise<Image> => {
    await admit();
    const code = await codeOf(id);
    const rendered = render(() => renderings[format](code));
    if (!rendered) throw errors.unavailable();
    // Only a text that no image can hold fails, and that is no code.
    const bytes = await rendered.catch(() => Promise.reject(errors.qrCodeNotFound()));
    const image = imageOf(bytes);
    kept.set(`${id}.${format}`, image);
    return image;
  };

  return {
    drawn: (id, format) => kept.get(`${id}.${format}`),
    draw: (id, format, admit) => {
      const key = `${id}.${format}`;
      const begun = underWay.get(key);
      if (begun) return begun;
      const drawn = drawAnew(id, format, admit).finally(() => underWay.delete(key));
      underWay.set(key, drawn);
      return drawn;
    },
  };
}

const renderings: Record<Format, (code: string) => Promise<Buffer>> = {
  png: (code) => QRCode.toBuffer(code, { type: 'png', width: 512, margin: 2 }),
  svg: async (code) => Buffer.from(await QRCode.toString(code, { type: 'svg', margin: 2 })),
};

function imageOf(bytes: Buffer): Image {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
