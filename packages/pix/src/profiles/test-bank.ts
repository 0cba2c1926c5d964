import { testBank } from '@payments/domain/route-charge';
import { bacen } from './bacen.ts';
import type { Profile } from './profile.ts';

/**
 * The bank of test stores, which only a simulated bank can be: no other has tokens at this path, and without a token
 * there is no charge (Contract: test stores). `psps` leaves it out, since no account at a bank is this one.
 */
export const testBankProfile: Profile = {
  ...bacen,
  psp: testBank,
  name: 'Simulated bank',
  tokenPath: '/bank/token',
};
