import t from 'tap';
import { storeOfFaults } from '../../src/faults/one-store.ts';
import { testsApart } from '../../src/promises/tests-apart.ts';
import { caseOf, type HandMade } from '../hand-made.ts';

const approved: HandMade = { status: 'approved', amount: 10 };
const findings = (made: HandMade) => testsApart(caseOf(made)).map(({ says }) => says);

t.test('a real charge is at real banks alone, and a test charge at the test bank', async (t) => {
  t.same(findings(approved), []);
  t.same(findings({ ...approved, knownAt: ['bb', 'efi'] }), []);
  t.match(findings({ ...approved, knownAt: ['bb', 'test'] }), [/a charge of store-0 is at bank test/]);
  const [first, ...more] = findings({ ...approved, test: true, knownAt: ['test', 'efi'] });
  t.match(first, /a charge of store-0 is at bank efi/);
  t.ok(more.some((says) => says.includes('the totals with test=false have store store')));
});

t.test('a charge whose payment nobody committed counts, too', async (t) => {
  const run = caseOf({ ...approved, test: true, knownAt: ['test'] });
  run.evidence.payments = [];
  run.evidence.charges = [{ bank: 'efi', txid: 'a'.repeat(32), storeName: 'store-0' }];
  t.match(testsApart(run)[0], { says: 'a charge of store-0 is at bank efi' });
  run.evidence.charges = [{ bank: 'efi', txid: 'a'.repeat(32), storeName: undefined }];
  t.match(testsApart(run)[0], { says: 'a charge at bank efi names no known store' });
  run.evidence.charges = (['efi', 'test'] as const).map((bank) => ({
    bank,
    txid: 'a'.repeat(32),
    storeName: storeOfFaults,
  }));
  t.match(
    testsApart(run),
    [{ says: `a charge of ${storeOfFaults} is at bank test` }],
    'a fault opens a real store',
  );
});

t.test('the totals are the sum of the payments, to the centavo', async (t) => {
  t.match(findings({ ...approved, total: 10.01 }), [
    /the totals say 1001 centavos of store-0, and its payments 1000/,
  ]);
  t.match(findings({ status: 'pending', amount: 10 }), [
    /the totals say 1000 centavos of store-0, and its payments 0/,
  ]);
});
