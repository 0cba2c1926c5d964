import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

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

/** A kill during a write leaves half a line at the end. Its request was never answered, so it is dropped. */
function wholeLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const content = readFileSync(file);
  const end = content.lastIndexOf('\n') + 1;
  if (end < content.length) truncateSync(file, end);
  return content.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
}
