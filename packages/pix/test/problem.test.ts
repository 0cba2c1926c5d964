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

t.test('what banks say in other forms is read too', async (t) => {
  const said: [string, unknown, string | null, string | null][] = [
    [
      'Efí',
      { nome: 'txid_duplicado', mensagem: 'Campo txid já utilizado' },
      'txid_duplicado',
      'Campo txid já utilizado',
    ],
    [
      'Banco do Brasil',
      { erros: [{ codigo: '4769515', mensagem: 'Não há', ocorrencia: 'CHOM' }] },
      '4769515',
      'Não há',
    ],
    ['its gateway', { statusCode: 401, error: 'Unauthorized', message: 'Bad' }, 'Unauthorized', 'Bad'],
    ['Sicoob', { mensagens: [{ mensagem: 'Chave inválida', codigo: '3011' }] }, '3011', 'Chave inválida'],
    ['a gateway', { fault: { faultstring: 'Spike arrest violation' } }, null, 'Spike arrest violation'],
    [
      'Bradesco',
      '<soap:Fault><faultcode>x</faultcode><faultstring>Falha</faultstring></soap:Fault>',
      null,
      'Falha',
    ],
    ['a title alone', { title: 'Não autorizado' }, null, 'Não autorizado'],
  ];
  for (const [name, body, type, detail] of said) t.same(readProblem(body, []), { type, detail }, name);
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
