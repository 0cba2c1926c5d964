/** Amounts, moments and days as Brazilians write them. Moments are São Paulo's. */

const reais = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** @returns centavos as `R$ 1.234,56` */
export function formatBrl(centavos: number): string {
  return `R$ ${reais.format(centavos / 100)}`;
}

const timeZone = 'America/Sao_Paulo';
// Created at first use: loading the zone's and language's data would delay the start.
let dayAndTime: Intl.DateTimeFormat | undefined;

/** @returns the moment as `26/11/2026 14:32:05` */
export function timeText(moment: Date): string {
  dayAndTime ??= new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return dayAndTime.format(moment).replace(',', '');
}

/** @returns the moment within a sentence: `26/11/2026 às 14:32` */
export function momentText(moment: Date): string {
  const [day, clock = ''] = timeText(moment).split(' ');
  return `${day} às ${clock.slice(0, 5)}`;
}

/** @returns the time of day: `14:32` */
export function clockText(moment: Date): string {
  return timeText(moment).split(' ')[1]?.slice(0, 5) ?? '';
}

/** @returns a day or month: `23/11/2026`, `11/2026` */
export function dayText(period: string): string {
  return period.split('-').reverse().join('/');
}
