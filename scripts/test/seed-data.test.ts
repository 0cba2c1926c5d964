import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { seedData } from '../src/seed/seed-data.ts';

t.test('npm start -- --seed-data makes stores with payments in every status, once', async (t) => {
  const system = await startSystem();
  t.teardown(system.stop);
  const { url, adminUrl, bankUrl, env } = system;
  const at = { apiUrl: url, adminUrl, adminKey: env.ADMIN_KEY ?? '', bankUrls: [bankUrl] };
  const names = await seedData(at);
  t.equal(names.length, 3);
  const { body } = await system.admin('/admin/totals?by=status');
  const statuses = body.items.map(({ status }: { status: string }) => status);
  const { body: document } = await system.api('/docs/json');
  t.strictSame(statuses.sort(), document.components.schemas.PaymentStatus.enum.sort(), 'in every status');
  await eventually(10_000, 'every refund to be made', async () => {
    const { items } = (await system.admin('/admin/refunds')).body;
    return items.length === 0 ? true : undefined;
  });
  t.strictSame(await seedData(at), [], 'a second start adds nothing');
});
