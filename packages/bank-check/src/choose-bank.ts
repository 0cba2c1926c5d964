import { defaultBank } from '@payments/pix/bank-settings';
import { bankAsSettings, readBanksFile } from '@payments/pix/banks-file';
import { ConfigurationError } from '@payments/runtime/environment';

type Chosen = { bank: string; env: NodeJS.ProcessEnv };

/**
 * @param wanted the id of a bank in BANKS_FILE
 * @returns the bank's id, and the environment with this bank alone as its `PIX_*`
 * @throws ConfigurationError where the file is wrong, or where a bank must be chosen
 */
export function chooseBank(env: NodeJS.ProcessEnv, wanted: string | undefined): Chosen {
  const { BANKS_FILE: file } = env;
  if (!file && wanted !== undefined)
    throw new ConfigurationError('--bank chooses from BANKS_FILE, which is not set');
  if (!file) return { bank: defaultBank, env };
  const ids = readBanksFile(file, 0).map(({ id }) => id);
  const all = ids.join(', ');
  if (wanted === undefined && ids.length > 1)
    throw new ConfigurationError(`BANKS_FILE names several banks: choose one with --bank (${all})`);
  const bank = wanted ?? ids[0]!;
  const settings = bankAsSettings(file, bank);
  if (!settings) throw new ConfigurationError(`BANKS_FILE has no bank ${bank}; there are ${all}`);
  const others = Object.entries(env).filter(([name]) => !name.startsWith('PIX_'));
  return { bank, env: { ...Object.fromEntries(others), ...settings } };
}
