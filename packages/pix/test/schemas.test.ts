import t from 'tap';
import { failuresOf } from './conform.ts';
import { KEY, TXID } from './psp.ts';

const terms = { calendario: { expiracao: 3600 }, valor: { original: '10.00' }, chave: KEY };

const cob = {
  calendario: { criacao: '2020-09-09T20:15:00.358Z', expiracao: 3600 },
  txid: TXID,
  revisao: 0,
  loc: { id: 789, location: 'pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25', tipoCob: 'cob' },
  location: 'pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25',
  status: 'ATIVA',
  devedor: { cnpj: '12345678000195', nome: 'Empresa de Serviços SA' },
  valor: { original: '37.00', modalidadeAlteracao: 1 },
  chave: KEY,
};
const pix = {
  endToEndId: 'E12345678202009091221abcdef12345',
  txid: 'cd1fe328c875481285a6f233ae41b662',
  valor: '100.00',
  horario: '2020-09-10T13:03:33.902Z',
};
const paginacao = { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: 1, quantidadeTotalDeItens: 1 };
const parametros = { inicio: '2020-04-01T00:00:00Z', fim: '2020-04-01T17:00:00Z', paginacao };

/** Values that the document as published refuses by mistake; each row is a defect mended in schemas.json. */
t.test('what the document means to allow is allowed', async (t) => {
  const allowed: [string, string, unknown][] = [
    ['a CPF', 'CobSolicitada', { ...terms, devedor: { cpf: '12345678909', nome: 'Francisco da Silva' } }],
    ['its own cobResponse1: a loc without txid and creation', 'CobGerada', cob],
    ['its own cobBody3: a loc by its id alone', 'CobRevisada', { loc: { id: 7768 } }],
    ['a list of charges without idCob', 'CobsConsultadas', { parametros, cobs: [cob] }],
    ['a list of Pix without cobs', 'PixConsultados', { parametros, pix: [pix] }],
    ["a static code's txid", 'Pix', { ...pix, txid: 'RP12345678' }],
    ['its own webhookResponse1: chave, no cnpj', 'WebhookCompleto', webhook()],
  ];
  for (const [name, schema, value] of allowed) t.same(failuresOf(schema, value), [], name);
});

t.test('what the document means to refuse is refused', async (t) => {
  const refused: [string, string, unknown][] = [
    ['an amount with something around it', 'CobSolicitada', { ...terms, valor: { original: 'R$ 10.00 ' } }],
    ['an amount with three decimals', 'DevolucaoSolicitada', { valor: '7.891' }],
    ['a txid with something around it', 'TxId', `-${TXID}-`],
    ['a CPF and a CNPJ', 'CobSolicitada', { ...terms, devedor: { cpf: '1', cnpj: '2', nome: 'x' } }],
    ['51 pieces of information', 'CobSolicitada', { ...terms, infoAdicionais: information(51) }],
    ['a code longer than 512', 'CobGerada', { ...cob, pixCopiaECola: 'x'.repeat(513) }],
  ];
  for (const [name, schema, value] of refused) t.not(failuresOf(schema, value).length, 0, name);
  t.same(failuresOf('CobSolicitada', { ...terms, infoAdicionais: information(50) }), []);
});

function webhook() {
  return {
    webhookUrl: 'https://pix.example.com/api/webhook/',
    chave: KEY,
    criacao: '2020-11-11T10:15:00.358Z',
  };
}

function information(count: number) {
  return Array.from({ length: count }, () => ({ nome: 'Campo', valor: 'Informação' }));
}
