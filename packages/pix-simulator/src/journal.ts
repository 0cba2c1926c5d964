import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';

/** An append-only file of JSON lines. What was appended survives a SIGKILL of this process. */
export interface Journal {
  append(entry: unknown): void;
  close(): void;
}

/** Replays the file's entries through `replay`, then opens it for appending. Without a file, nothing is kept. */
export function openJournal(file: string | undefined, replay: (entry: unknown) => void): Journal {
  if (!file) return { append() {}, close() {} };
  for (const line of wholeLines(file)) replay(JSON.parse(line));
  const descriptor = openSync(file, 'a');
  return {
    append(entry) {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    },
    close() {
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
  };
}

/** Writes the entries that are kept to a new file, which takes the journal's place at once: a kill leaves one of the two. */
export function rewriteJournal(file: string, isKept: (entry: unknown) => boolean): void {
  const written = `${file}.new`;
  const descriptor = openSync(written, 'w');
  for (const line of wholeLines(file)) if (isKept(JSON.parse(line))) writeSync(descriptor, `${line}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(written, file);
}

/**
 * Reads a journal line by line: a long one would not fit in memory. A kill during a write leaves half a line at the end.
 * Its request was never answered, so it is cut off.
 */
export function* wholeLines(file: string): Generator<string> {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  const chunk = Buffer.alloc(65_536);
  let rest = Buffer.alloc(0);
  let size = 0;
  try {
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      size += read;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = bytes.lastIndexOf('\n') + 1;
      yield* bytes.toString('utf8', 0, end).split('\n').filter(Boolean);
      rest = bytes.subarray(end);
    }
  } finally {
    closeSync(descriptor);
  }
  if (rest.length > 0) truncateSync(file, size - rest.length);
}
