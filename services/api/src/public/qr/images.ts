import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import type { KnownFacts } from '@payments/database/payments/payer-pages';
import { payerState } from '@payments/domain/payer-state';
import { LRUCache } from 'lru-cache';
import QRCode from 'qrcode';
import { pageAssets } from '../../context.ts';
import { atMostEach } from '../../http/bounds.ts';
import { errors } from '../../http/errors/errors.ts';

/**
 * The images of codes, one bit a pixel. The library finds the modules and this file draws them: its own PNG has 32 bits a
 * pixel and takes ten times as long, and one store's images would keep the others' waiting. A test store's image says
 * “TESTE” below its code (Contract: test stores).
 */

// A letter is five modules wide and seven high.
const letters: Record<string, readonly string[]> = {
  T: ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '..#..'],
  E: ['#####', '#....', '#....', '####.', '#....', '#....', '#####'],
  S: ['.####', '#....', '#....', '.###.', '....#', '....#', '####.'],
};
const [letterWidth, letterHeight, gap, margin] = [5, 7, 1, 4];
const word = 'TESTE';
const wordWidth = word.length * (letterWidth + gap) - gap;

/** A square of modules, dark or light. */
type Picture = { size: number; isDark: (x: number, y: number) => boolean };

/** @throws if the code is longer than an image can hold */
function picture({ code, isTest }: Drawn): Picture {
  const { modules } = QRCode.create(code);
  const size = modules.size + 2 * margin + (isTest ? letterHeight + margin : 0);
  const left = Math.floor((size - modules.size) / 2);
  const wordAt = { x: Math.floor((size - wordWidth) / 2), y: margin + modules.size + margin };
  const isInCode = (x: number, y: number) => x >= 0 && y >= 0 && x < modules.size && y < modules.size;
  return {
    size,
    isDark: (x, y) => {
      const [column, row] = [x - left, y - margin];
      if (isInCode(column, row)) return modules.get(row, column) === 1;
      return isTest && isInWord(x - wordAt.x, y - wordAt.y);
    },
  };
}

function isInWord(x: number, y: number): boolean {
  const letter = word[Math.floor(x / (letterWidth + gap))];
  return letter !== undefined && letters[letter]?.[y]?.[x % (letterWidth + gap)] === '#';
}

type Drawn = { code: string; isTest: boolean };

/** @throws if the code is longer than an image can hold */
export function qrImage(format: Format, drawn: Drawn): Buffer {
  return format === 'svg' ? svg(picture(drawn)) : png(picture(drawn));
}

function svg({ size, isDark }: Picture): Buffer {
  const strokes: string[] = [];
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const from = x;
      while (isDark(x, y)) x += 1;
      if (x > from) strokes.push(`M${from} ${y}.5h${x - from}`);
    }
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#ffffff" d="M0 0h${size}v${size}H0z"/><path stroke="#000000" d="${strokes.join('')}"/></svg>\n`,
  );
}

const width = 512;

/** A PNG of one bit a pixel (RFC 2083), with whole pixels for each module and the rest as margin. */
function png({ size, isDark }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header[8] = 1;
  const pixels = Math.floor(width / size);
  const edge = Math.floor((width - size * pixels) / 2);
  const rows = Array.from({ length: width }, blankRow);
  for (let y = 0; y < size; y += 1) {
    const row = blankRow();
    for (let x = 0; x < size; x += 1) if (isDark(x, y)) darken(row, edge + x * pixels, pixels);
    rows.fill(row, edge + y * pixels, edge + (y + 1) * pixels);
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

/** A row begins with its filter, none. A light pixel is a bit. */
const blankRow = () => Buffer.alloc(1 + width / 8, 0xff).fill(0, 0, 1);

function darken(row: Buffer, from: number, pixels: number): void {
  for (let at = from; at < from + pixels; at += 1) row[1 + (at >> 3)]! &= ~(0x80 >> (at & 7));
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

export type Format = 'png' | 'svg';
type Image = { bytes: Buffer; etag: string; isShared?: true };

/** A payment's image. After `until` it shows a code that nobody may pay; null: it stays as it is. */
export type Shown = { image: Image; until: Date | null };

/** The parts of a payment that its image shows. */
export type Pictured = Drawn & { storeId: string; facts: KnownFacts };

export type Images = {
  /**
   * @param admit called once for all concurrent requests of an image that is not in memory; a rejection prevents the
   * drawing
   * @throws the rejection of `admit`; ApiError 404 without a code, 503 while too many images of its store wait
   */
  show(id: string, format: Format, admit: () => Promise<void>): Promise<Shown>;
};

type Reading = {
  /** Reads a payment. @throws ApiError 404 without a code */
  read: (id: string) => Promise<Pictured>;
  /** Reads what is new of a payment; undefined if nothing is. */
  readNews: (known: KnownFacts) => Promise<KnownFacts | undefined>;
  now: () => Date;
};

type Kept = Pick<Pictured, 'facts' | 'isTest'> & { image: Image };

// Drawing blocks the event loop for a millisecond or two, so images take turns, and so do stores: whoever mails a code to
// a hundred thousand customers keeps nobody else's checkout waiting.
const drawing = {
  all: { running: 1, waiting: Number.POSITIVE_INFINITY },
  each: { running: 1, waiting: 100 },
};
const keptBytes = 16 * 1_024 * 1_024;
const entryBytes = 512;
// A shop's checkout shows the image meanwhile.
const newsPatienceMs = 2_000;

/**
 * Draws each image once and keeps it in memory: a payment's code never changes. Whether it may be paid is looked up
 * each time, or an image in an e-mail would go on inviting to pay what was paid or cancelled.
 */
export function qrImages({ read, readNews, now }: Reading): Images {
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    // The pictures of closed codes are the same for all.
    sizeCalculation: ({ image }) => (image.isShared ? 0 : image.bytes.length) + entryBytes,
  });
  const underWay = new Map<string, Promise<Kept>>();
  const inTurn = atMostEach(drawing);
  const closed = { real: closedImages('closed'), test: closedImages('closed-test') };
  const closedOf = (isTest: boolean, format: Format) => closed[isTest ? 'test' : 'real'][format];

  const drawAnew = async (id: string, format: Format, admit: () => Promise<void>): Promise<Kept> => {
    await admit();
    const { code, isTest, storeId, facts } = await read(id);
    if (!isOpen(facts, now())) return { image: closedOf(isTest, format), facts, isTest };
    const rendered = inTurn(storeId, async () => {
      await immediate();
      return qrImage(format, { code, isTest });
    });
    if (!rendered) throw errors.unavailable();
    // Only a text that no image can hold fails, and that is no code.
    const bytes = await rendered.catch(() => Promise.reject(errors.qrCodeNotFound()));
    return { image: imageOf(bytes), facts, isTest };
  };
  /** Draws once for all requests of an image that come meanwhile. */
  const draw = (key: string, ...wanted: Parameters<typeof drawAnew>): Promise<Kept> => {
    const begun = underWay.get(key) ?? drawAnew(...wanted).finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
  /** While the database is away, or slow, what was known counts. */
  const newsOf = async ({ facts }: Kept): Promise<KnownFacts> => {
    if (!isOpen(facts, now())) return facts;
    const news = readNews(facts).catch(() => undefined);
    return (await Promise.race([news, delay(newsPatienceMs, undefined, { ref: false })])) ?? facts;
  };

  return {
    show: async (id, format, admit) => {
      const key = `${id}.${format}`;
      const known = kept.get(key);
      const { image, facts, isTest } = known
        ? { ...known, facts: await newsOf(known) }
        : await draw(key, id, format, admit);
      const isPayable = isOpen(facts, now());
      const shown = isPayable ? image : closedOf(isTest, format);
      if (facts !== known?.facts) kept.set(key, { image: shown, facts, isTest });
      return { image: shown, until: isPayable ? facts.expiresAt : null };
    },
  };
}

function isOpen(facts: KnownFacts, now: Date): boolean {
  return payerState(facts, now) === 'waiting';
}

/** @returns the pictures in place of a code that nobody may pay any more; the PNG is a browser's view of the SVG */
function closedImages(name: string): Record<Format, Image> {
  const read = (format: Format): Image => ({
    ...imageOf(readFileSync(new URL(`qr/${name}.${format}`, pageAssets))),
    isShared: true,
  });
  return { png: read('png'), svg: read('svg') };
}

function imageOf(bytes: Buffer): Image {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

type Read = (known: KnownFacts[]) => Promise<KnownFacts[]>;
type Batch = { known: KnownFacts[]; news: Promise<Map<string, KnownFacts>> };

/**
 * Reads for all requests that wait, one statement at a time: each image asks whether its code may still be paid, and
 * without this a flood of images would take the connections of sales.
 * @returns a function that reads what is new of a payment; undefined if nothing is
 */
export function sharedReading(read: Read): (known: KnownFacts) => Promise<KnownFacts | undefined> {
  let next: Batch | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = (): Batch => {
    const known: KnownFacts[] = [];
    const news = last.then(async () => {
      next = undefined;
      return new Map((await read(known)).map((facts) => [facts.id, facts]));
    });
    last = news.catch(() => undefined);
    return { known, news };
  };
  return async (facts) => {
    next ??= begin();
    const { known, news } = next;
    known.push(facts);
    return (await news).get(facts.id);
  };
}
