/** @returns a day or month in Brazilian notation: `23/11/2026`, `11/2026` */
export function dayText(period: string): string {
  return period.split('-').reverse().join('/');
}
