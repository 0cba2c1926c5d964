import { bacen } from './bacen.ts';
import { banrisul } from './banrisul.ts';
import { bb } from './bb.ts';
import { bradesco } from './bradesco.ts';
import { c6 } from './c6.ts';
import { efi } from './efi.ts';
import { inter } from './inter.ts';
import { itau } from './itau.ts';
import { pagbank } from './pagbank.ts';
import type { Profile } from './profile.ts';
import { santander } from './santander.ts';
import { sicoob } from './sicoob.ts';
import { sicredi } from './sicredi.ts';

/** Every known bank, by its name in `PIX_PSP`. */
export const profiles = {
  bacen,
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
} satisfies Record<string, Profile>;

export type Psp = keyof typeof profiles;

export const psps = Object.keys(profiles) as Psp[];
