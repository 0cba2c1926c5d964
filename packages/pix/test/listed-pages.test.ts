import t, { type Test } from 'tap';
import { everyPage } from '../src/listed-pages.ts';
import { profiles } from '../src/profiles/all.ts';
import { clientOf, type Received, startPsp } from './psp.ts';

const range = { from: new Date(0), to: new Date(1_000) };
const pageOf = ({ url }: Received) =>
  Number(new URL(url, 'http://psp').searchParams.get('paginacao.paginaAtual'));
const pixNumbered = (number: number) => ({
  endToEndId: `E12345678202009091221${String(number).padStart(11, '0')}`,
  valor: '1.00',
  horario: '2020-09-09T12:21:00.000Z',
});

type Totals = { quantidadeDePaginas?: unknown; quantidadeTotalDeItens?: unknown; itensPorPagina?: unknown };

/** A bank that lists these Pix on each page, with these totals. */
async function bankOf(t: Test, pixOf: (page: number) => unknown[], totals: Totals) {
  const bank = await startPsp(t, (request, reply) => {
    const paginacao = { paginaAtual: pageOf(request), itensPorPagina: 100, ...totals };
    reply.json(200, { parametros: { paginacao }, pix: pixOf(pageOf(request)) });
  });
  return { ...clientOf(t, bank.url), asked: () => bank.calls().length };
}

async function listed(pages: ReturnType<typeof everyPage>): Promise<number> {
  let count = 0;
  for await (const { pix } of pages) count += pix.length;
  return count;
}

const lots = 100_000_000;
const cases: [string, (page: number) => unknown[], Totals, { pix: number; calls: number }][] = [
  ['one page', () => [pixNumbered(1)], totalsOf(1, 1), { pix: 1, calls: 1 }],
  ['an empty list', () => [], totalsOf(1, 0), { pix: 0, calls: 1 }],
  ['empty pages without an end', () => [], totalsOf(lots, lots), { pix: 0, calls: 2 }],
  ['pages counted as items', (page) => twoOf(page, 3), totalsOf(6, 6), { pix: 6, calls: 4 }],
  ['one page again and again', () => [pixNumbered(1)], totalsOf(lots, 1), { pix: 2, calls: 2 }],
  ['more items than its pages', (page) => twoOf(page, 2), totalsOf(1, 4), { pix: 4, calls: 2 }],
  ['no totals', () => [pixNumbered(1)], {}, { pix: 1, calls: 1 }],
  ['no totals, several pages', (page) => hundredsOf(page, 250), {}, { pix: 250, calls: 3 }],
  ['no totals, pages all full', (page) => hundredsOf(page, 200), {}, { pix: 200, calls: 3 }],
  ['no totals, an item twice on a full page', (page) => fullWithTwice(page), {}, { pix: 199, calls: 3 }],
  ['no totals, the same page again', () => hundredsOf(0, 100), {}, { pix: 200, calls: 2 }],
  ['no totals, smaller pages', (page) => twoOf(page, 2), { itensPorPagina: 2 }, { pix: 4, calls: 3 }],
  ['totals of nothing', (page) => hundredsOf(page, 150), totalsOf(0, 0), { pix: 150, calls: 2 }],
  ['no pages, all items', (page) => hundredsOf(page, 100), totalsOf(0, 100), { pix: 100, calls: 1 }],
  ['a page’s items as all items', (page) => hundredsOf(page, 150), totalsOf(1, 50), { pix: 150, calls: 2 }],
];

function hundredsOf(page: number, items: number): unknown[] {
  const count = Math.max(0, Math.min(100, items - 100 * page));
  return Array.from({ length: count }, (_, index) => pixNumbered(100 * page + index));
}

/** Two full pages; the first has one item twice. */
function fullWithTwice(page: number): unknown[] {
  const items = hundredsOf(page, 200);
  return page === 0 ? [pixNumbered(1), ...items.slice(1)] : items;
}

function totalsOf(quantidadeDePaginas: number, quantidadeTotalDeItens: number): Totals {
  return { quantidadeDePaginas, quantidadeTotalDeItens };
}

function twoOf(page: number, pages: number): unknown[] {
  return page < pages ? [pixNumbered(2 * page), pixNumbered(2 * page + 1)] : [];
}

for (const [name, pixOf, totals, { pix, calls }] of cases)
  t.test(`a list ends, whatever its totals say: ${name}`, async (t) => {
    const { client, asked } = await bankOf(t, pixOf, totals);
    t.equal(await listed(everyPage(client, range)), pix);
    t.equal(asked(), calls);
  });

t.test('a page that is empty once, short of the list’s total, is asked for again', async (t) => {
  const empty = new Set([1]);
  const pixOf = (page: number) => (empty.delete(page) ? [] : hundredsOf(page, 250));
  const { client, asked } = await bankOf(t, pixOf, totalsOf(3, 250));
  t.equal(await listed(everyPage(client, range)), 250);
  t.equal(asked(), 4);
});

t.test('so is one of which the bank says by its status that it has nothing', async (t) => {
  const none = new Set([1]);
  const bank = await startPsp(t, (request, reply) => {
    const page = pageOf(request);
    if (none.delete(page)) return reply.raw.writeHead(204).end();
    const paginacao = { paginaAtual: page, itensPorPagina: 100, ...totalsOf(3, 250) };
    return reply.json(200, { parametros: { paginacao }, pix: hundredsOf(page, 250) });
  });
  const { client } = clientOf(t, bank.url, { profile: profiles.itau });
  t.equal(await listed(everyPage(client, range)), 250);
  t.equal(bank.calls().length, 4);
});

t.test('a list that repeats itself and has not given all is no list', async (t) => {
  const { client, asked } = await bankOf(t, () => [pixNumbered(1)], totalsOf(3, 3));
  await t.rejects(listed(everyPage(client, range)), { code: 'PIX_UNAVAILABLE', message: /paginaAtual/ });
  t.equal(asked(), 2);
});

t.test('a list without an end is given up', async (t) => {
  const { client, asked } = await bankOf(t, (page) => [pixNumbered(page)], totalsOf(lots, lots));
  const pages = everyPage(client, range, { mostPages: 6 });
  await t.rejects(listed(pages), { reason: 'unreadable', message: /quantidadeDePaginas/ });
  t.equal(asked(), 6);
});

t.test('nothing more is asked for a caller who has gone', async (t) => {
  const gone = new AbortController();
  const { client, asked } = await bankOf(
    t,
    (page) => {
      if (page === 4) gone.abort(new Error('gone'));
      return [pixNumbered(page)];
    },
    totalsOf(lots, lots),
  );
  await t.rejects(listed(everyPage(client, range, { signal: gone.signal })), { message: 'gone' });
  t.equal(asked(), 5);
});
