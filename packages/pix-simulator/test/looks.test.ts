import t from 'tap';
import { startBank, TXID } from './bank-under-test.ts';

const range = () => {
  const at = (seconds: number) => encodeURIComponent(new Date(Date.now() + seconds * 1_000).toISOString());
  return `inicio=${at(-3_600)}&fim=${at(3_600)}`;
};

/** A charge with a Pix of 10 reais, of which the bank took 4 back. */
async function paid(t: Parameters<typeof startBank>[0]) {
  const bank = await startBank(t);
  const code = await bank.charge();
  const { endToEndId } = (await bank.pay(code)).body;
  await bank.asAnyone('POST', '/bank/refunds', { endToEndId, valor: '4.00' });
  const id = (await bank.asReceiver('GET', `/pix/${endToEndId}`)).body.devolucoes[0].id;
  const read = {
    cob: () => bank.asReceiver('GET', `/cob/${TXID}`),
    pix: () => bank.asReceiver('GET', `/pix/${endToEndId}`),
    list: () => bank.asReceiver('GET', `/pix?${range()}`),
    devolucao: () => bank.asReceiver('GET', `/pix/${endToEndId}/devolucao/${id}`),
  };
  return { bank, read, endToEndId };
}

t.test('a lagging bank shows what it had', async (t) => {
  const { bank, read } = await paid(t);
  await bank.advance(5);
  await bank.faults({ lagSeconds: 3 });
  t.equal((await read.cob()).body.status, 'CONCLUIDA');
  await bank.faults({ lagSeconds: 60 });
  t.equal((await read.cob()).status, 404, 'the charge is younger');
  t.equal((await read.pix()).status, 404);
  t.equal((await read.devolucao()).status, 404);
  t.same((await read.list()).body.pix, []);
  t.equal((await bank.asAnyone('GET', `/bank/charges/${TXID}`)).body.pix.length, 1, 'its books are whole');
  await bank.advance(60);
  t.equal((await read.pix()).body.devolucoes.length, 1, 'and is right again in time');
});

t.test('what is hidden is hidden from the reads that are named', async (t) => {
  const { bank, read } = await paid(t);
  await bank.faults({ hide: ['refunds'], only: ['getCob', 'getDevolucao'] });
  t.equal((await read.cob()).body.pix[0].devolucoes, undefined);
  t.equal((await read.devolucao()).status, 404);
  t.equal((await read.pix()).body.devolucoes.length, 1);
  t.equal((await read.list()).body.pix[0].devolucoes.length, 1);
  await bank.faults({ hide: ['pix'] });
  const { status, pix } = (await read.cob()).body;
  t.same([status, pix], ['ATIVA', undefined]);
  await bank.faults({ hide: ['charges'], only: ['patchCob'] });
  t.equal((await bank.asReceiver('PATCH', `/cob/${TXID}`, { valor: { original: '1.00' } })).status, 404);
  t.equal((await read.cob()).body.valor.original, '10.00', 'nothing was changed');
  t.same((await bank.asAnyone('GET', '/bank/unknown')).body.requests, [], 'it has what it hides');
});

t.test('so many lies, of these charges alone', async (t) => {
  const { bank, read } = await paid(t);
  await bank.faults({ hide: ['charges'], charges: ['another'] });
  t.equal((await read.cob()).status, 200);
  await bank.faults({ charges: [TXID], times: 1 });
  t.equal((await read.cob()).status, 404);
  t.equal((await read.cob()).status, 200);
});

t.test('entries that can’t be read', async (t) => {
  const { bank, read } = await paid(t);
  await bank.faults({ oddAmounts: true, withoutRefundIds: true });
  for (const entry of [
    (await read.cob()).body.pix[0],
    (await read.pix()).body,
    (await read.list()).body.pix[0],
  ])
    t.match([entry.valor, entry.devolucoes[0].id], ['10,00', undefined]);
});
