/** CSV by RFC 4180: a header row, commas, CRLF. */

/** Text, a number or a date that is written as it is, or nothing. */
export type Cell = string | number | Date | null;

/** @returns one line; text can't begin a formula in a spreadsheet */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** @returns centavos as `1234.50` */
export function csvAmount(centavos: number | null): Cell {
  return centavos === null ? null : (centavos / 100).toFixed(2);
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  return quoted(typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell));
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
