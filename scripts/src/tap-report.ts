import type { Readable } from 'node:stream';
import { inspect, stripVTControlCharacters } from 'node:util';
import { Parser, type Result } from 'tap-parser';

export type Counts = { passed: number; failed: number; skipped: number };

/** Is told how a run goes. */
export type Listener = {
  print: (line: string) => void;
  /** A test file has ended. */
  timed?: (file: string, seconds: number) => void;
  /** A failure has just been printed. */
  failed?: (description: string) => void;
  /** The counts have come: no test says anything more. */
  counted?: () => void;
};

/**
 * Prints tap's progress: a line for each test file, and failures in full.
 * @param tap tap's output, in its own format (`--reporter=tap`)
 * @returns tap's counts of assertions; undefined if it ended without them
 */
export async function reportTap(
  tap: Readable,
  { print, timed, failed, counted }: Listener,
): Promise<Counts | undefined> {
  const parser = new Parser({ strict: false });
  let counts: Counts | undefined;
  parser.on('comment', (comment: string) => {
    const read = readCounts(comment);
    if (read === undefined) return;
    counts = read;
    counted?.();
  });
  const failures: string[] = [];
  const rows: string[] = [];
  collectRows(parser, rows);
  const skips: string[] = [];
  let printed = 0;
  collectFailures(parser, [], failures);
  collectSkips(parser, [], skips);
  parser.on('assert', (result: Result) => {
    const seconds = (result.time ?? 0) / 1000;
    timed?.(result.name, seconds);
    print(`${result.ok ? '✓' : '✗'} ${result.name}  ${seconds.toFixed(1)} s`);
    for (const failure of failures.slice(printed)) {
      print(failure);
      failed?.(failure);
    }
    printed = failures.length;
    for (const line of [...skips.splice(0), ...rows.splice(0)]) print(line);
  });
  for await (const chunk of tap) parser.write(chunk as Buffer);
  parser.end();
  return counts;
}

/** Parses tap's final comment, such as `# { total: 11, pass: 10, fail: 1 }`. */
export function readCounts(comment: string): Counts | undefined {
  if (!/^# \{ total: \d+/.test(comment)) return undefined;
  // bounded: the name is one of ours, and the comment one line of tap's.
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(comment)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') };
}

/** Collects failed assertions, and failed tests without one. */
function collectFailures(parser: Parser, path: string[], failures: string[]) {
  let known = failures.length;
  parser.on('child', (child: Parser) => collectFailures(child, [...path, child.name], failures));
  parser.on('assert', (result: Result) => {
    const explained = failures.length > known;
    if (!result.ok && !result.todo && !result.skip && !explained) failures.push(describe(result, path));
    known = failures.length;
  });
}

/** Collects the names of skipped tests, with the reason. */
function collectSkips(parser: Parser, path: string[], skips: string[]) {
  parser.on('child', (child: Parser) => collectSkips(child, [...path, child.name], skips));
  parser.on('assert', (result: Result) => {
    // Left out by name, as asked for.
    if (!result.skip || String(result.skip).startsWith('filter: ')) return;
    const reason = typeof result.skip === 'string' ? `: ${result.skip}` : '';
    skips.push(`  – skipped ${[...path, result.name].join(' › ')}${reason}`);
  });
}

/** A test may show a table: comments that are its rows. */
function collectRows(parser: Parser, rows: string[]) {
  parser.on('child', (child: Parser) => {
    collectRows(child, rows);
    child.on('comment', (comment: string) => {
      if (comment.startsWith('# |')) rows.push(`  ${comment.slice(2).trimEnd()}`);
    });
  });
}

function describe(result: Result, path: string[]): string {
  const details = Object.entries((result.diag ?? {}) as Record<string, unknown>).filter(
    ([key]) => !noise.has(key),
  );
  const lines = details.flatMap(([key, value]) => detail(key, value));
  // An error's message becomes the name, on one line; the details keep the original.
  const name = result.name.length > longestName ? `${result.name.slice(0, longestName)} …` : result.name;
  return ['', `  ✗ ${[...path, name].join(' › ')}`, ...lines.map((line) => `      ${line}`)].join('\n');
}

const longestName = 200;

/** tap's details for tools: a test file's command, and the place as an object beside the stack. */
const noise = new Set(['stdio', 'cwd', 'externalID', 'command', 'args', 'jobId', 'at', 'tapCaught']);

function detail(key: string, value: unknown): string[] {
  const message = (value as { message?: unknown } | null)?.message;
  if (typeof message === 'string') return detail(key, message);
  const text = typeof value === 'string' ? value.trimEnd() : inspect(value, { depth: 8 });
  const lines = stripVTControlCharacters(text).split('\n');
  return lines.length === 1 ? [`${key}: ${lines[0]}`] : [`${key}:`, ...lines.map((line) => `  ${line}`)];
}
