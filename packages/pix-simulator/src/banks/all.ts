import { banrisul } from './banrisul.ts';
import { bb } from './bb.ts';
import { bradesco } from './bradesco.ts';
import { c6 } from './c6.ts';
import { efi } from './efi.ts';
import { inter } from './inter.ts';
import { itau } from './itau.ts';
import { pagbank } from './pagbank.ts';
import type { BankRules } from './rules.ts';
import { santander } from './santander.ts';
import { sicoob } from './sicoob.ts';
import { sicredi } from './sicredi.ts';
import { standard } from './standard.ts';

/** The banks that can be simulated, by what `PROFILE` calls them. */
export const banks = {
  bacen: standard,
  efi,
  bb,
  itau,
  bradesco,
  santander,
  sicredi,
  sicoob,
  inter,
  c6,
  banrisul,
  pagbank,
} satisfies Record<string, BankRules>;

export type BankName = keyof typeof banks;

/** Where each bank has the API Pix, below its host. */
export const basePaths: Record<BankName, string> = {
  bacen: '',
  efi: '/v2',
  bb: '/pix/v2',
  itau: '/pix_recebimentos/v2',
  bradesco: '/v2',
  santander: '/api/v1',
  sicredi: '/api/v2',
  sicoob: '/pix/api/v2',
  inter: '/pix/v2',
  c6: '/v2/pix',
  banrisul: '/pix/api-mtls',
  pagbank: '/instant-payments',
};
