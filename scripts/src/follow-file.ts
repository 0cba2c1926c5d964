import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const intervalMs = 200;

/**
 * Passes on the lines of a file that another process writes.
 * @param from the place of the first byte that is read
 * @returns a function that passes on the rest, and ends
 */
export function followLines(path: string, onLine: (line: string) => void, from = 0): () => void {
  const file = openSync(path, 'r');
  const decoder = new StringDecoder('utf8');
  const chunk = Buffer.alloc(64 * 1024);
  let rest = '';
  let place = from;
  const readOn = () => {
    const length = readSync(file, chunk, { position: place });
    place += length;
    return length;
  };
  const read = () => {
    for (let length = readOn(); length > 0; length = readOn()) {
      const lines = (rest + decoder.write(chunk.subarray(0, length))).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  };
  const timer = setInterval(read, intervalMs);
  return () => {
    clearInterval(timer);
    read();
    closeSync(file);
  };
}
