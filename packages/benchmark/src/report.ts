import { type Figure, type Floor, rangeOf, type Wanted } from './floors.ts';
import { median } from './statistics.ts';

export type Report = {
  command: string;
  /** Machine, versions, load, revision: name and value. */
  surroundings: Record<string, string>;
  scenarios: { name: string; floors: Floor[]; figures: Figure[] }[];
};

/** @returns the report as Markdown: method, floors, and the figures behind them */
export function renderReport({ command, surroundings, scenarios }: Report): string {
  const about = Object.entries({ command: `\`${command}\``, ...surroundings });
  return [
    '# Benchmark report',
    about.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    table(
      ['scenario', 'floor', 'beside', 'wanted', 'measured', 'range', ''],
      scenarios.flatMap(({ name, floors }) => floors.map((floor) => [name, ...floorCells(floor)])),
    ),
    table(
      ['scenario', 'side', 'figure', 'median', 'range'],
      scenarios.flatMap(({ name, figures }) => figures.map((figure) => [name, ...figureCells(figure)])),
    ),
  ].join('\n\n');
}

function floorCells({ what, beside = '', unit, value, low, high, wanted, met }: Floor): string[] {
  const withUnit = (text: string) => `${text} ${unit}`.trim();
  const range = `${number(low)} – ${number(high)}`;
  return [
    what,
    beside,
    withUnit(wantedText(wanted)),
    withUnit(number(value)),
    range,
    met ? 'met' : '**missed**',
  ];
}

function figureCells({ side, what, unit, values }: Figure): string[] {
  const { low, high } = rangeOf(values);
  return [side, what, `${number(median(values))} ${unit}`, `${number(low)} – ${number(high)}`];
}

function wantedText(wanted: Wanted): string {
  return 'atLeast' in wanted ? `≥ ${wanted.atLeast}` : `≤ ${wanted.atMost}`;
}

/** @returns a number with three significant digits, or a whole number from 100 on */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
