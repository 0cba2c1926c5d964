/** @returns rows of scenarios, columns of banks, as lines of a table */
export function matrixLines(results: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  const columns = [...results.keys()];
  const rows = [...new Set([...results.values()].flatMap((cells) => [...cells.keys()]))];
  const first = Math.max(...rows.map((row) => row.length));
  const line = (name: string, cells: string[]) =>
    `| ${name.padEnd(first)} | ${cells.map((cell, index) => cell.padEnd(columns[index]?.length ?? 0)).join(' | ')} |`;
  const cellsOf = (row: string) => columns.map((column) => results.get(column)?.get(row) ?? '–');
  return [line('', columns), ...rows.map((row) => line(row, cellsOf(row)))];
}
