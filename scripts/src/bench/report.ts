import type { Figure, ScenarioResult, Verdict } from './results.ts';
import { median, spread, type Wanted } from './statistics.ts';

export type Report = {
  command: string;
  startedAt: string;
  /** Machine, versions, load: name and value. */
  surroundings: Record<string, string>;
  results: ScenarioResult[];
};

/** @returns the report as markdown */
export function renderReport({ command, startedAt, surroundings, results }: Report): string {
  const about = Object.entries({ command: `\`${command}\``, started: startedAt, ...surroundings });
  const verdicts = results.flatMap((result) => result.verdicts.map((verdict) => ({ result, verdict })));
  return [
    '# Benchmark report',
    table(['', ''], about),
    '## What is wanted',
    table(
      ['scenario', 'what', 'beside', 'measured', 'spread', 'wanted', ''],
      verdicts.map(({ result, verdict }) => [result.name, ...verdictCells(verdict)]),
    ),
    ...results.map(renderResult),
  ].join('\n\n');
}

/** @returns one scenario as markdown */
export function renderResult({ name, title, conditions, figures, notes }: ScenarioResult): string {
  const figureTable = table(
    ['side', 'what', 'median', 'spread', 'CPU s per 1000', 'peak MB'],
    figures.map(figureCells),
  );
  const parts = [`## ${name}: ${title}`, list(conditions), figureTable, list(notes)];
  return parts.filter((part) => part !== '').join('\n\n');
}

const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');

function figureCells({ side, what, unit, values, cpu, peakMb }: Figure): string[] {
  const { low, high } = spread(values);
  const parts = Object.entries(cpu).map(([name, seconds]) => [name, median(seconds)] as const);
  const total = parts.reduce((sum, [, seconds]) => sum + seconds, 0);
  const used = parts
    .filter(([, seconds]) => seconds >= 0.005)
    .map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`);
  const memory = Object.entries(peakMb).map(([name, mb]) => `${name} ${Math.round(mb)}`);
  const cpuCell = used.length > 0 ? `${total.toFixed(2)} (${used.join(', ')})` : '';
  const spreadCell = `${number(low)} – ${number(high)}`;
  return [side, what, `${number(median(values))} ${unit}`, spreadCell, cpuCell, memory.join(', ')];
}

function verdictCells({ what, beside, unit, value, low, high, wanted, met }: Verdict): string[] {
  const shown = unit === 'ratio' ? '' : ` ${unit}`;
  const range = low === undefined || high === undefined ? '' : `${number(low)} – ${number(high)}`;
  return [
    what,
    beside,
    `${number(value)}${shown}`,
    range,
    `${wantedText(wanted)}${shown}`,
    met ? 'met' : '**missed**',
  ];
}

export function wantedText(wanted: Wanted): string {
  return 'atLeast' in wanted ? `≥ ${wanted.atLeast}` : `≤ ${wanted.atMost}`;
}

/** @returns three digits that matter, and no more than whole numbers from 100 on */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
