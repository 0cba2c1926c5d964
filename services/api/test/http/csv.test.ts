import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import Fastify from 'fastify';
import t from 'tap';
import { type Cell, csvAmount, csvLine, sendCsv } from '../../src/http/csv.ts';

const table: [cells: Cell[], line: string][] = [
  [['a', 'b'], 'a,b'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"'],
  [[null, '', 7, -7], ',,7,-7'],
  [[new Date('2026-11-23T12:00:00Z')], '2026-11-23T12:00:00.000Z'],
  [['=1+1', '+55 11', '-2', '@sum'], "'=1+1,'+55 11,'-2,'@sum"],
  [['\t=1', '\r=1', ' =1', '\t'], `'\t'=1,"'\r'=1", =1,'\t`],
  [['Pedido 12;=A1', 'a,+1', 'b"-1'], `Pedido 12;'=A1,"a,'+1","b""'-1"`],
  [['13\n=cmd', '14\t@sum', '＝1+1', 'x;＠y'], `"13\n'=cmd",14\t'@sum,'＝1+1,x;'＠y`],
  [[{ period: '2026-11' }, { centavos: 1 }], '2026-11,0.01'],
  [['00123', '2026112300000042', '11/12'], '00123,2026112300000042,11/12'],
  [['=cmd|"/c calc"!A1'], '"\'=cmd|""/c calc""!A1"'],
  [[csvAmount(123_450), csvAmount(5), csvAmount(null)], '1234.50,0.05,'],
];
for (const [cells, line] of table) {
  t.test(JSON.stringify(cells), async (t) => t.equal(csvLine(cells), `${line}\r\n`));
}

t.test('a kept parser reads any text as it was, but for the apostrophe', async (t) => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 4 });
  const property = fc.property(fc.array(texts, { minLength: 1 }), (rows) => {
    const read = parse(rows.map((row) => csvLine(row)).join(''), {
      relaxColumnCount: true,
      skipEmptyLines: false,
    });
    return JSON.stringify(read).replaceAll("'", '') === JSON.stringify(rows).replaceAll("'", '');
  });
  fc.assert(property);
  t.pass();
});

const forExcel: [cells: Cell[], line: string][] = [
  [['a', 'b;c', 'say "x"'], 'a;"b;c";"say ""x"""'],
  [[csvAmount(123_450), csvAmount(-5), csvAmount(null), 7], '1234,50;-0,05;;7'],
  [[{ period: '2026-11-23' }, { period: '2026-11' }], '23/11/2026;11/2026'],
  [[new Date('2026-11-24T00:04:05Z')], '23/11/2026 21:04:05'],
  [['=1', 'oi;=cmd'], `'=1;"oi;'=cmd"`],
  [['00123', '2026112300000042'], "'00123;'2026112300000042"],
  [['0', '1042', '999999999999999', 1e15], '0;1042;999999999999999;1000000000000000'],
  [['2026E11', '11/12', '3-2', '1.10', ' 7'], "'2026E11;'11/12;'3-2;'1.10;' 7"],
  [['1,-2', '1\n-2'], `1,'-2;"1\n'-2"`],
  [['1;2', '1\n2', '1,5 e 2', 'E123'], `"1;2";"'1\n2";1,5 e 2;E123`],
];
for (const [cells, line] of forExcel)
  t.test(`for Excel: ${JSON.stringify(cells)}`, async (t) => t.equal(csvLine(cells, 'excel'), `${line}\r\n`));

t.test('no cell begins a formula, whatever separates cells and whether quotes are text', async (t) => {
  const signs = [
    '=',
    '+',
    '-',
    '@',
    '＝',
    '＋',
    '－',
    '＠',
    ',',
    ';',
    '\t',
    '\r',
    '\n',
    '"',
    "'",
    'a',
    '1',
    ' ',
  ];
  const texts = fc.array(
    fc.array(fc.constantFrom(...signs)).map((all) => all.join('')),
    { minLength: 1 },
  );
  for (const form of ['standard', 'excel'] as const)
    fc.assert(
      fc.property(texts, (cells) => !/(^|[,;\t\r\n"])[=+\-@＝＋－＠]/.test(csvLine(cells, form))),
      { numRuns: 2_000 },
    );
  t.pass();
});

const page = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000));

/** A list without an end, and how many of its pages were read. */
async function endless(t: { teardown(end: () => Promise<void>): void }, method = 'GET') {
  let pages = 0;
  const app = Fastify({ forceCloseConnections: true });
  app.get('/', async (_request, reply) =>
    sendCsv(
      reply,
      { name: 'endless', columns: { text: (text: string) => text }, form: 'standard' },
      async () => {
        pages += 1;
        return page;
      },
    ),
  );
  await app.listen();
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const sending = request({ port, method }).end();
  const [response] = await once(sending, 'response');
  return { response, sending, pages: () => pages };
}

/** Resolves when the number stays the same for ten looks. */
async function settled(read: () => number): Promise<number> {
  let [last, same] = [-1, 0];
  return eventually('no more pages', async () => {
    const now = read();
    same = now === last ? same + 1 : 0;
    last = now;
    return same === 10 ? now : undefined;
  });
}

t.test('pages are read only as fast as the client reads', async (t) => {
  const { response, sending, pages } = await endless(t);
  response.pause();
  const ahead = await settled(pages);
  t.ok(ahead < 20, `${ahead} pages ahead`);
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > 50_000_000) break;
  }
  t.ok(pages() >= 50);
  sending.destroy();
});

t.test('a client that goes away ends the reading', async (t) => {
  const { sending, pages } = await endless(t);
  sending.on('error', () => {});
  sending.destroy();
  const read = await settled(pages);
  t.ok(read < 50, `${read} pages`);
});

t.test('HEAD has the headers of the file, and reads no row that nobody gets', async (t) => {
  const { response, pages } = await endless(t, 'HEAD');
  t.match(response.headers, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="endless.csv"',
    'content-length': undefined,
  });
  t.equal(await settled(pages), 0);
});
