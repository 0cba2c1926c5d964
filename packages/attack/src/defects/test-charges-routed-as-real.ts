import type { Defect } from './defect.ts';

/** A store's kind is forgotten where banks are chosen and asked: its charge goes to the first bank, and no commit follows. */
export const testChargesRoutedAsReal: Defect = {
  name: 'test charges routed as real ones',
  edits: [
    {
      file: 'packages/domain/src/route-charge.ts',
      find: 'const possible = banks.filter(({ id }) => isTestBank(id) === test);',
      replace: 'const possible = banks.slice();',
    },
    {
      file: 'packages/domain/src/route-charge.ts',
      find: '  if (terms.test !== isTestBank(bank.id))\n',
      replace: '  if (terms.test === undefined)\n',
    },
  ],
  faults: [],
  seconds: 20,
  rate: 15,
  breaks: [{ promise: 15, says: /^a charge of store-4 is at bank (bb|efi)$/ }],
};
