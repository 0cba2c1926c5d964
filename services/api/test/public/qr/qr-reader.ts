import jsQRModule from 'jsqr';
import { PNG } from 'pngjs';

// The package is CommonJS, but its types claim ESM.
const jsQR = jsQRModule as unknown as typeof jsQRModule.default;

/** Finds dark codes on a light ground; the search for light ones takes as long again. */
const read = (pixels: Uint8ClampedArray, width: number, height: number) =>
  jsQR(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data;

/** @returns the text of a QR code in a PNG */
export function readPng(bytes: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(bytes);
  return read(new Uint8ClampedArray(data), width, height);
}

const scale = 4;

/** @returns the text of a QR code in an SVG that draws its modules as horizontal strokes of one unit */
export function readSvg(svg: string): string | undefined {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const path = /stroke="#000000" d="([^"]+)"/.exec(svg)?.[1] ?? '';
  const width = size * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, command, first, second] of path.matchAll(/([Mmh])(-?[\d.]+)(?:[ ,]?(-?[\d.]+))?/g)) {
    const [a, b] = [Number(first), Number(second)];
    if (command === 'M') [x, y] = [a, b];
    if (command === 'm') [x, y] = [x + a, y + b];
    if (command !== 'h') continue;
    for (let module = x; module < x + a; module += 1) blacken(pixels, width, module, Math.floor(y));
    x += a;
  }
  return read(pixels, width, width);
}

function blacken(pixels: Uint8ClampedArray, width: number, column: number, row: number) {
  for (let dy = 0; dy < scale; dy += 1) {
    const start = ((row * scale + dy) * width + column * scale) * 4;
    for (let byte = 0; byte < scale * 4; byte += 1) if (byte % 4 !== 3) pixels[start + byte] = 0;
  }
}
