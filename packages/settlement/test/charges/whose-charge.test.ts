import { buildBrCode } from '@payments/pix/brcode';
import t from 'tap';
import { whoseIs } from '../../src/charges/remove-unheard.ts';

const codeAt = (location: string, merchantName = 'Loja') =>
  buildBrCode({ location, merchantName, merchantCity: 'Recife' });
const codeElsewhere = codeAt('another.example/qr/1');

t.test('whose a charge is that another entry shows under our txid', async (t) => {
  const key = 'pix@example.com';
  const code = codeAt('bank.example/qr/7');
  const rows: [shown: string | null, charge: Parameters<typeof whoseIs>[0], whose: string][] = [
    [code, { copyAndPaste: code, key }, 'payment'],
    [code, { copyAndPaste: code, key: null }, 'payment'],
    [code, { copyAndPaste: codeAt('bank.example/qr/7', 'Outro nome'), key }, 'payment'],
    [code, { copyAndPaste: codeElsewhere, key: 'another@example.com' }, 'payment'],
    [code, { copyAndPaste: codeElsewhere, key: 'Pix@Example.com' }, 'leftover'],
    [code, { copyAndPaste: codeElsewhere, key: null }, 'leftover'],
    [code, { copyAndPaste: null, key }, 'unknown'],
    [code, { copyAndPaste: 'no BR Code', key }, 'unknown'],
    ['no BR Code', { copyAndPaste: code, key }, 'unknown'],
    ['no BR Code', { copyAndPaste: 'no BR Code', key }, 'payment'],
    [null, { copyAndPaste: code, key }, 'leftover'],
    [null, { copyAndPaste: null, key }, 'leftover'],
    [null, { copyAndPaste: code, key: 'another@example.com' }, 'payment'],
  ];
  for (const [shown, charge, whose] of rows)
    t.equal(whoseIs(charge, { code: shown, key }), whose, JSON.stringify([shown, charge]));
});
