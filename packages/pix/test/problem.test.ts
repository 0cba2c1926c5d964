import t from 'tap';
import { readProblem } from '../src/problem.ts';

t.test('a problem gives its type and words, without what was sent', async (t) => {
  const problem = readProblem(
    {
      type: 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida',
      title: 'Cobrança inválida.',
      status: 400,
      detail: 'A requisição não respeita o schema.',
      violacoes: [{ razao: 'é zero', propriedade: 'cob.valor.original', valor: 'what was sent' }, 'odd'],
    },
    [],
  );
  t.same(problem, {
    type: 'CobOperacaoInvalida',
    detail: 'A requisição não respeita o schema.; cob.valor.original é zero',
  });
});

t.test("OAuth's errors are read too", async (t) => {
  t.same(readProblem({ error: 'invalid_client', error_description: 'Unknown client' }, []), {
    type: 'invalid_client',
    detail: 'Unknown client',
  });
});

t.test('secrets are struck, wherever the PSP repeats them', async (t) => {
  const problem = readProblem({ type: 'x/s3cret', detail: 'token s3cret is bad' }, ['s3cret', '']);
  t.same(problem, { type: '…', detail: 'token … is bad' });
});

t.test('other bodies say nothing', async (t) => {
  for (const body of [undefined, null, 'no', [], {}])
    t.same(readProblem(body, []), { type: null, detail: null });
  t.equal(readProblem({ detail: 'x'.repeat(9999) }, []).detail?.length, 500);
});
