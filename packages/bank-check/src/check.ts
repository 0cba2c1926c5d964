import { bankSettings, defaultBank } from '@payments/pix/bank-settings';
import { bankAsSettings, readBanksFile } from '@payments/pix/banks-file';
import { createPixClient } from '@payments/pix/client';
import { tokenUrlOf } from '@payments/pix/profiles/addresses';
import { bacen } from '@payments/pix/profiles/bacen';
import { pixOptions } from '@payments/pix/settings';
import { readMaterial } from '@payments/pix/tls-files';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { Type } from '@sinclair/typebox';
import { accessSteps } from './access-steps.ts';
import { callbackSteps } from './callback-steps.ts';
import { chargeSteps, paidStep } from './charge-steps.ts';
import { endSteps } from './end-steps.ts';
import { failureOf } from './failure.ts';
import { listSteps } from './list-steps.ts';
import { type CheckOptions, checkSettings, type State, type Step } from './state.ts';

const timeoutMs = 15_000;
const steps: Step[] = [...accessSteps, ...chargeSteps, ...listSteps, ...callbackSteps, paidStep];

/**
 * Proves the connection to a bank step by step. It prints what works, what fails and what to do, and never a secret.
 * @returns true if every step works
 */
export async function checkBank(env: NodeJS.ProcessEnv, options: CheckOptions): Promise<boolean> {
  const opened = open(env, options);
  if (!opened) return false;
  const { state, print } = opened;
  const works = await runSteps(state, print);
  await state.client.close();
  print(works ? `\n${nameOf(state)} works.` : `\n${nameOf(state)} does not work yet.`);
  return works;
}

/** Runs the steps until a gate fails or the check is ended early, then the end steps in any case. */
async function runSteps(state: State, print: Print): Promise<boolean> {
  let works = true;
  let isEnded = false;
  for (const step of steps) {
    const isOk = await runStep(step, state, print);
    works &&= isOk;
    isEnded = state.signal.aborted || (!isOk && step.isGate === true);
    if (isEnded) break;
  }
  if (isEnded) print('– what follows was not tried');
  for (const step of endSteps) works = (await runStep(step, state, print, isEnded)) && works;
  return works && !isEnded;
}

type Print = (line: string) => void;

/** Settings, certificates and client; null, with the reason printed, where they can't be used. */
function open(env: NodeJS.ProcessEnv, check: CheckOptions): { state: State; print: Print } | null {
  try {
    const { bank, env: own } = chooseBank(env, check.bank);
    const settings = readEnvironment(checkSettings, own);
    const options = pixOptions(settings, timeoutMs);
    const { profile = bacen, url, tokenUrl = tokenUrlOf(profile, url), clientSecret, appKey } = options;
    const secrets = [clientSecret, appKey, settings.PIX_P12_PASSWORD, settings.ADMIN_KEY].filter(
      (one) => one !== undefined,
    );
    const print: Print = (line) => check.print(struck(line, secrets));
    const client = createPixClient({ ...options, now: () => check.now().getTime() });
    const tls = readMaterial(options.tls ?? {});
    const state = { ...check, bank, settings, options, tokenUrl, tls, client, secrets, print };
    print(`✓ settings: ${nameOf(state)} at ${url}, key ${client.key}`);
    return { state, print };
  } catch (error) {
    check.print(`✗ settings: ${(error as Error).message}`);
    return null;
  }
}

function nameOf({ options }: Pick<State, 'options'>): string {
  return (options.profile ?? bacen).name;
}

async function runStep(step: Step, state: State, print: Print, isEnded = false): Promise<boolean> {
  try {
    const said = await step.run(state);
    if (said !== null) print(`✓ ${step.name}: ${said}`);
    else if (!isEnded) print(`– ${step.name}`);
    return true;
  } catch (error) {
    const failure = failureOf(error, step.advice);
    print(`✗ ${step.name}: ${failure.message}`);
    print(`  Do: ${failure.advice}`);
    if (failure.exchange) for (const line of forSupport(state, failure)) print(`  ${line}`);
    return false;
  }
}

/** The facts that a bank's support asks for. */
function forSupport(
  state: State,
  { exchange, message }: { exchange?: string | undefined; message: string },
): string[] {
  const { options, now, ours } = state;
  return [
    'For the bank’s support:',
    `  time ${now().toISOString()}, address ${options.url}, client ${options.clientId}`,
    `  certificate ${ours ?? 'none'}`,
    `  ${exchange}: ${message}`,
  ];
}

function struck(line: string, secrets: string[]): string {
  return secrets.reduce((left, secret) => (secret ? left.replaceAll(secret, '…') : left), line);
}

const chosenBy = Type.Pick(Type.Object(bankSettings), ['BANKS_FILE']);

type Chosen = { bank: string; env: NodeJS.ProcessEnv };

/**
 * @param wanted the id of a bank in BANKS_FILE
 * @returns the bank's id, and the environment with this bank alone as its `PIX_*`
 * @throws ConfigurationError where the file is wrong, or where a bank must be chosen
 */
export function chooseBank(env: NodeJS.ProcessEnv, wanted: string | undefined): Chosen {
  const { BANKS_FILE: file } = readEnvironment(chosenBy, env);
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
