import { crc32, deflateSync } from 'node:zlib';
import QRCode from 'qrcode';
import type { Format } from './images.ts';

/** The image of a test store's code: a code that can be read, and “TESTE” below it (Contract: test stores). */

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
function picture(code: string): Picture {
  const { modules } = QRCode.create(code);
  const size = modules.size + 2 * margin + letterHeight + margin;
  const left = Math.floor((size - modules.size) / 2);
  const wordAt = { x: Math.floor((size - wordWidth) / 2), y: margin + modules.size + margin };
  const isInCode = (x: number, y: number) => x >= 0 && y >= 0 && x < modules.size && y < modules.size;
  return {
    size,
    isDark: (x, y) => {
      const [column, row] = [x - left, y - margin];
      if (isInCode(column, row)) return modules.get(row, column) === 1;
      return isInWord(x - wordAt.x, y - wordAt.y);
    },
  };
}

function isInWord(x: number, y: number): boolean {
  const letter = word[Math.floor(x / (letterWidth + gap))];
  return letter !== undefined && letters[letter]?.[y]?.[x % (letterWidth + gap)] === '#';
}

/** @throws if the code is longer than an image can hold */
export function testImage(format: Format, code: string): Buffer {
  const drawn = picture(code);
  return format === 'svg' ? svg(drawn) : png(drawn);
}

function svg({ size, isDark }: Picture): Buffer {
  const strokes: string[] = [];
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) if (isDark(x, y)) strokes.push(`M${x} ${y}.5h1`);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#ffffff" d="M0 0h${size}v${size}H0z"/><path stroke="#000000" d="${strokes.join('')}"/></svg>\n`,
  );
}

const pixels = 8;

/** A PNG of one bit a pixel (RFC 2083). */
function png({ size, isDark }: Picture): Buffer {
  const width = size * pixels;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header[8] = 1;
  // A module is a byte of eight pixels; each row begins with its filter, none.
  const rows = Array.from({ length: size }, (_, y) => {
    const row = Buffer.alloc(1 + size);
    for (let x = 0; x < size; x += 1) row[1 + x] = isDark(x, y) ? 0x00 : 0xff;
    return Buffer.concat(Array.from({ length: pixels }, () => row));
  });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
