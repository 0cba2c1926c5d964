import { type DestinationStream, destination } from 'pino';

// A reader of the log that takes nothing any more costs lines, not the process.
const maxLength = 16 * 1_024 * 1_024;

export type LogOutput = DestinationStream & {
  /** Calls back when what was written before is on its way out of the process. */
  flush(done: (error?: Error) => void): void;
  /** Writes it all at once: what the logger does after a fatal line. */
  flushSync(): void;
};

let opened: LogOutput | undefined;

/**
 * @returns the process's standard output for log lines. It writes in the background, those of a busy moment together: a
 *   slow reader of the log must not hold up payments
 */
export const logOutput = (): LogOutput => (opened ??= open());

// Whatever is handed to pino's destination has all that still waits there copied and measured anew: under load that
// cost a webhook's attempt more than its signature. So the lines of one turn of the event loop are handed over as one.
function open(): LogOutput {
  let lines: string[] = [];
  const handOver = () => {
    if (lines.length > 0) output.write(lines.join(''));
    lines = [];
  };
  // One by one: what is long enough is otherwise written in the background, which an exit may not wait for.
  const writeNow = () => {
    output.flushSync();
    for (const line of lines.splice(0)) {
      output.write(line);
      output.flushSync();
    }
  };
  // Heard before the destination's own listener, which ends it.
  process.on('exit', writeNow);
  const output = destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 50, maxLength });
  return {
    write: (line) => {
      if (lines.push(line) === 1) setImmediate(handOver);
    },
    flush: (done) => {
      handOver();
      output.flush(done);
    },
    flushSync: writeNow,
  };
}
