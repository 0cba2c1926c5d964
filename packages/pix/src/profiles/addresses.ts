import { withoutEndSlashes } from '@payments/runtime/addresses';
import type { Profile } from './profile.ts';

/** @returns where tokens come from for this base: the bank's known address, or its path on the host of the base */
export function tokenUrlOf({ production, sandbox, tokenPath }: Profile, url: string): string {
  const base = withoutEndSlashes(url);
  const known = [production, sandbox].find((addresses) => addresses?.url === base);
  return known?.tokenUrl ?? new URL(tokenPath, `${base}/`).href;
}
