import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBank } from '@payments/testing/bank';
import { call } from '@payments/testing/http';
import { eventually } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { startMonitored } from '../monitored-system.ts';
import type { Sample } from '../promql/samples.ts';

/** The monitored system with the banks `efi` and `bb`, in this order. */
async function startTwoBanks(t: Test) {
  const file = join(t.testdir(), 'banks.json');
  const [efi, bb] = [await startBank(), await startBank()];
  const entryOf = (id: string, { url }: { url: string }) => {
    return { id, url, clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' };
  };
  const write = (...banks: object[]) => {
    writeFileSync(`${file}.new`, JSON.stringify({ banks }));
    renameSync(`${file}.new`, file);
  };
  const both = () => write(entryOf('efi', efi), entryOf('bb', bb));
  both();
  const monitored = await startMonitored(t, { BANKS_FILE: file });
  t.teardown(() => Promise.all([efi.close(), bb.close()]));
  return {
    ...monitored,
    both,
    onlyBb: () => write(entryOf('bb', bb)),
    faultsOfEfi: (faults: object) => call(`${efi.url}/bank/faults`, { body: faults }),
  };
}

t.test('one bank of two is down: each alert names it', async (t) => {
  const { charge, faultsOfEfi, monitoring, advance, untilFiring, untilQuiet } = await startTwoBanks(t);
  await charge();
  await faultsOfEfi({ disconnect: true });
  for (let made = 0; made < 4; made += 1) t.match(await charge(), { qrCopyPaste: /^000201/ });
  const ofEfi = [{ labels: { bank: 'efi' } }];
  t.match(await untilFiring('PaymentsPspUnavailable'), ofEfi);
  t.match(await untilFiring('PaymentsPspErrors'), ofEfi);
  t.same(await monitoring.firing('PaymentsChargesUnheard'), [], 'an hour has not passed');
  advance(3_700);
  t.match(await untilFiring('PaymentsChargesUnheard'), ofEfi);
  await faultsOfEfi({});
  await untilQuiet('PaymentsPspUnavailable');
});

t.test('a bank stays paused for hours', async (t) => {
  const { system, advance, monitoring, untilFiring, untilQuiet } = await startTwoBanks(t);
  await system.admin('/admin/banks/efi/pause', { body: { reason: 'manutenção' } });
  advance(3_600);
  t.same(await monitoring.firing('PaymentsBankPaused'), []);
  advance(3 * 3_600);
  t.match(await untilFiring('PaymentsBankPaused'), [{ labels: { bank: 'efi' } }]);
  await system.admin('/admin/banks/efi/resume', { method: 'POST' });
  await untilQuiet('PaymentsBankPaused');
});

t.test('a bank is taken out of the file while it has a charge', async (t) => {
  const { system, charge, both, onlyBb, monitoring, untilFiring, untilQuiet } = await startTwoBanks(t);
  onlyBb();
  await eventually('the file to be taken up', async () => {
    const [first] = (await system.admin('/admin/banks')).body.items;
    return first.id === 'bb' || undefined;
  });
  t.same(await monitoring.firing('PaymentsBankNotConfigured'), [], 'it had nothing');
  both();
  await eventually('a charge at efi', async () => {
    const { id } = await charge();
    return (await system.admin(`/admin/payments/${id}`)).body.bank === 'efi' || undefined;
  });
  onlyBb();
  t.match(await untilFiring('PaymentsBankNotConfigured'), [{ labels: { bank: 'efi' } }]);
  both();
  await untilQuiet('PaymentsBankNotConfigured');
});

t.test('the bank of test stores is down: nobody is called', async (t) => {
  const file = join(t.testdir(), 'banks.json');
  const [real, test] = [await startBank(), await startBank()];
  t.teardown(() => Promise.all([real.close(), test.close()]));
  const account = { clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' };
  const banks = [
    { id: 'efi', url: real.url, ...account },
    { id: 'test', psp: 'test', url: test.url, ...account },
  ];
  writeFileSync(file, JSON.stringify({ banks }));
  const { system, monitoring, charge } = await startMonitored(t, { BANKS_FILE: file });
  const store = await system.createStore({ test: true });
  await call(`${test.url}/bank/faults`, { body: { disconnect: true } });
  const isOpen = ({ name, labels, value }: Sample) =>
    name === 'payments_psp_breaker_state' &&
    labels.job === 'payments-dispatcher' &&
    labels.bank === 'test' &&
    labels.state === 'open' &&
    value === 1;
  await eventually('the dispatcher’s breaker to open', async () => {
    await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
    return (await monitoring.scrape()).some(isOpen) || undefined;
  });
  t.match(await charge(), { qrCopyPaste: /^000201/ });
  t.same(await monitoring.allFiring(), []);
});
