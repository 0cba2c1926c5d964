import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lines and columns are counted from 0. */
type CallFrame = { functionName: string; url: string; lineNumber: number; columnNumber: number };

type CpuProfile = {
  nodes: { id: number; callFrame: CallFrame }[];
  samples: number[];
  timeDeltas: number[];
};

export type SelfTime = { where: string; ms: number; share: number };

/** @returns the functions that a profile spent the most time in themselves, without what waited */
export function selfTimes(profile: CpuProfile, count: number): SelfTime[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const name = names.get(sample) ?? '';
    if (name === '(idle)' || name === '(root)') continue;
    times.set(name, (times.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1_000);
  }
  const all = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  const sorted = [...times].toSorted(([, a], [, b]) => b - a).slice(0, count);
  return sorted.map(([where, ms]) => ({ where, ms, share: ms / all }));
}

function nameOf(frame: CallFrame): string {
  const name = frame.functionName || '(anonymous)';
  const { url, lineNumber } = asWritten(frame);
  const file = url
    .replace(/^.*node_modules\/(?!\.pnpm)/, '')
    .replace(/^file:\/\/.*?\/(packages|services)\//, '$1/');
  return file ? `${name} ${file}:${lineNumber + 1}` : name;
}

const sourceMaps = new Map<string, SourceMap | undefined>();

/** Where it was before it was bundled. */
function asWritten({ url, lineNumber, columnNumber }: CallFrame): { url: string; lineNumber: number } {
  if (!sourceMaps.has(url)) sourceMaps.set(url, sourceMapOf(url));
  const entry = sourceMaps.get(url)?.findEntry(lineNumber, columnNumber);
  if (!entry || !('originalSource' in entry)) return { url, lineNumber };
  return { url: new URL(entry.originalSource, url).href, lineNumber: entry.originalLine };
}

function sourceMapOf(url: string): SourceMap | undefined {
  const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/**
 * Where asked for, has API and dispatcher write CPU profiles and says, when they have ended, where their time went.
 * @param use gets the folder that the profiles go to
 */
export async function profiled<Result>(
  wanted: boolean,
  say: (line: string) => void,
  use: (profileDir: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (!wanted) return use(undefined);
  const dir = mkdtempSync(join(tmpdir(), 'payments-profile-'));
  const result = await use(dir);
  for (const file of readdirSync(dir)) {
    say(`profile ${join(dir, file)}: self time`);
    const profile = JSON.parse(readFileSync(join(dir, file), 'utf8')) as CpuProfile;
    for (const { where, ms, share } of selfTimes(profile, 40))
      say(`  ${(share * 100).toFixed(1).padStart(5)} %  ${Math.round(ms)} ms  ${where}`);
  }
  return result;
}
