import t from 'tap';
import { clockText, dayText, formatBrl, momentText, timeText } from '../src/brazilian.ts';

t.test('amounts', async (t) => {
  const table: [centavos: number, text: string][] = [
    [0, 'R$ 0,00'],
    [5, 'R$ 0,05'],
    [1_990, 'R$ 19,90'],
    [123_456_789, 'R$ 1.234.567,89'],
  ];
  for (const [centavos, text] of table) t.equal(formatBrl(centavos), text);
});

t.test('moments are São Paulo’s, also across its midnight', async (t) => {
  const moment = new Date('2026-11-27T02:05:09Z');
  t.equal(timeText(moment), '26/11/2026 23:05:09');
  t.equal(momentText(moment), '26/11/2026 às 23:05');
  t.equal(clockText(moment), '23:05');
});

t.test('days and months', async (t) => {
  t.equal(dayText('2026-11-23'), '23/11/2026');
  t.equal(dayText('2026-11'), '11/2026');
});
