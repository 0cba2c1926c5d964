import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import t from 'tap';
import { type Cell, csvAmount, csvLine } from '../src/csv/csv.ts';

const table: [cells: Cell[], line: string][] = [
  [['a', 'b'], 'a,b'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"'],
  [[null, '', 7, -7], ',,7,-7'],
  [[new Date('2026-11-23T12:00:00Z')], '2026-11-23T12:00:00.000Z'],
  [['=1+1', '+55 11', '-2', '@sum'], "'=1+1,'+55 11,'-2,'@sum"],
  [['\t=1', '\r=1', ' =1'], `'\t=1,"'\r=1", =1`],
  [['=cmd|"/c calc"!A1'], '"\'=cmd|""/c calc""!A1"'],
  [[csvAmount(123_450), csvAmount(5), csvAmount(null)], '1234.50,0.05,'],
];
for (const [cells, line] of table) {
  t.test(JSON.stringify(cells), async (t) => t.equal(csvLine(cells), `${line}\r\n`));
}

t.test('a kept parser reads any text as it was, but for the apostrophe', async (t) => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 4 });
  const property = fc.property(fc.array(texts, { minLength: 1 }), (rows) => {
    const read = parse(rows.map(csvLine).join(''), { relaxColumnCount: true, skipEmptyLines: false });
    const harmless = rows.map((row) => row.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)));
    return JSON.stringify(read) === JSON.stringify(harmless);
  });
  fc.assert(property);
  t.pass();
});
