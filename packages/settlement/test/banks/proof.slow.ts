import type { BankName } from '@payments/pix-simulator/banks/all';
import t from 'tap';
import { scenarios } from './scenarios.ts';
import { openWorld } from './world.ts';

/** The matrix can fail: each profile with one part of it taken back to the standard, and the scenario that then fails. */
const taken: [BankName, Record<string, string>, keyof typeof scenarios][] = [
  ['efi', { PIX_MISSING: '404' }, 'refund unheard'],
  ['efi', { PIX_CALLBACK_HEADERS: 'none' }, 'registration'],
  ['bb', { PIX_NOTHING: 'none' }, 'quiet lists'],
  ['bb', { PIX_LIST_DAYS: '30' }, 'ten days'],
  ['bb', { PIX_QUERY: 'none' }, 'code at creation'],
  ['itau', { PIX_NOTHING: 'none' }, 'quiet lists'],
  ['itau', { PIX_HEADERS: 'none' }, 'code at creation'],
  ['santander', { PIX_PATHS: 'none' }, 'cancelled'],
  ['santander', { PIX_LIST_LACKS_TXID: 'false' }, 'callback lost'],
  ['sicredi', { PIX_DENIED: '401,403' }, 'scope refused'],
  ['sicoob', { PIX_HEADERS: 'none' }, 'code at creation'],
  ['inter', { PIX_SCOPES: 'none' }, 'code at creation'],
  ['pagbank', { PIX_TOKEN_FORMAT: 'form' }, 'code at creation'],
];

for (const [psp, without, scenario] of taken)
  t.test(`${psp} with ${JSON.stringify(without)} fails at: ${scenario}`, async (t) => {
    const world = await openWorld(t, psp, without);
    await t.rejects(scenarios[scenario]?.(world) ?? Promise.resolve());
    // The point here: which requests came to an address that the bank does not have.
    world.bench.system.simulator.bank.conformity.violations.length = 0;
  });
