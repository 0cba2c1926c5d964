import { hash } from 'node:crypto';
import { pauseOn } from '@payments/testing/pause';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { bankInDatabase, startTwoBanks, txidOf } from './several.ts';

const two = await startTwoBanks(t);
const { system, db, faults } = two;
const store = await two.createStore(null);
const simulator = (id: string) => system.banks.at(id).simulator.bank;
let { api } = system;
const restartApi = async () => {
  const ADMIN_PORT = new URL(system.adminUrl).port;
  api = await system.startApi({ PORT: String(api.port), ADMIN_PORT });
};
/** A key is stored as its hash. */
const idOf = async (key: string) => {
  const row = await db
    .selectFrom('idempotencyKeys')
    .select('paymentId')
    .where('key', '=', hash('sha256', key, 'base64url'))
    .executeTakeFirst();
  return row?.paymentId;
};
const untilAt = (bank: string, key: string) =>
  eventually(`the charge at ${bank}`, async () => {
    const id = await idOf(key);
    return id && simulator(bank).ledger.charges.has(txidOf(id)) ? id : undefined;
  });
const untilHanging = (bank: string) =>
  eventually(`a request at ${bank}`, async () => simulator(bank).hanging.size > 0 || undefined);
const untilRemoved = (bank: string, id: string) =>
  eventually(`the removal at ${bank}`, async () => {
    const { status } = (await two.charge(bank, id)).body;
    return status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR' || undefined;
  });
const create = (key: string) => two.create(store, { 'idempotency-key': key });

t.test('the API is killed after the first bank registered, before the second did', async (t) => {
  await faults('first', { cutChargeAnswers: true });
  await faults('second', { hang: true, only: ['putCob'] });
  const lost = create('before-the-second').catch(() => 'killed');
  // Nothing comes between the bank's silence and the kill: the sale waits for a bank for three seconds.
  await untilHanging('second');
  await api.kill('SIGKILL');
  t.equal(await lost, 'killed');
  const id = await untilAt('first', 'before-the-second');
  await faults('second');
  await faults('first', { hang: true });
  await restartApi();

  const { body } = await create('before-the-second');
  t.equal(body.id, id);
  t.equal(two.bankOf({ id, code: body.qrCopyPaste }), 'second');
  t.equal((await create('before-the-second')).body.qrCopyPaste, body.qrCopyPaste);
  await faults('first');
  await untilRemoved('first', id);
  t.equal((await two.charge('second', id)).body.status, 'ATIVA');
  t.equal(await bankInDatabase(db, id), 'second');
});

t.test('the API is killed after the second bank registered, before the commit', async (t) => {
  await faults('first', { status: 503 });
  const pause = await pauseOn(system.databaseUrl, 'before insert on payments');
  const reached = pause.reached();
  const lost = create('before-the-commit').catch(() => 'killed');
  await reached;
  await api.kill('SIGKILL');
  t.equal(await lost, 'killed');
  const id = await untilAt('second', 'before-the-commit');
  await pause.endWaiters();
  await pause.end();
  t.equal(await bankInDatabase(db, id), undefined, 'there is no payment');

  await faults('first');
  await restartApi();
  const { body } = await create('before-the-commit');
  t.equal(body.id, id);
  t.equal(two.bankOf({ id, code: body.qrCopyPaste }), 'first');
  await untilRemoved('second', id);
  t.equal((await two.charge('first', id)).body.status, 'ATIVA');
});

t.test('a dispatcher is killed while it removes a charge', async (t) => {
  await faults('first', { cutChargeAnswers: true });
  const { body } = await create('in-the-removal');
  t.equal(two.bankOf({ id: body.id, code: body.qrCopyPaste }), 'second');
  await faults('first', { hang: true, only: ['patchCob'] });
  simulator('first').hanging.clear();
  await untilHanging('first');
  await system.dispatchers[0]!.kill('SIGKILL');
  await faults('first');
  t.equal((await two.charge('first', body.id)).body.status, 'ATIVA');
  await system.startDispatcher();
  await untilRemoved('first', body.id);
  await eventually('nothing to remove', async () => {
    const rows = await db
      .selectFrom('unheardCharges')
      .select('bank')
      .where('paymentId', '=', body.id)
      .execute();
    return rows.length === 0 || undefined;
  });
  t.equal((await two.charge('second', body.id)).body.status, 'ATIVA');
});
