import type { Defect } from './defect.ts';

/** Writes a change's event after its commit: a crash in between loses the event. */
export const eventOutsideTransaction: Defect = {
  name: 'event outside the transaction',
  edits: [
    {
      file: 'packages/database/src/payments/payment-events.ts',
      find: `  const [written] = await run<{ hasDelivery: boolean }>(trx, changing(Object.keys(changed)), [
    JSON.stringify({ ...changed, id: payment.id }),
    JSON.stringify(eventRowOf(event)),
  ]);
  if (written) eventWritten(trx, { ...event.committed, ...written });
  return written !== undefined;`,
      replace: `  const columns = Object.keys(changed);
  const values = [JSON.stringify({ ...changed, id: payment.id }), JSON.stringify(eventRowOf(event))];
  const text = changing(columns);
  const moved = await run<{ id: string }>(
    trx,
    \`\${text.slice(text.indexOf('update payments'), text.indexOf('returning'))} returning p.id\`,
    values.slice(0, 1),
  );
  if (moved.length === 0) return false;
  const late = text.replace(/update payments[^]*?returning/, \`
    select p.id, p.store_id, p.webhook_url from payments p, json_populate_record(null::payments, $1) n where p.id = n.id
  ), unused as (select 1 where false\`).replace(/ p.id, p.store_id, p.webhook_url\\s+\\), event/, '), event');
  setTimeout(() => void run(outside(), late, values).catch(() => {}), 250);
  return true;`,
    },
    {
      file: 'packages/database/src/payments/payment-events.ts',
      find: "import { eventWritten } from '../transaction.ts';",
      replace: `import { connect } from '../connection.ts';

let own: ReturnType<typeof connect> | undefined;
const outside = () => {
  own ??= connect(process.env.DATABASE_URL ?? '');
  return own;
};`,
    },
  ],
  faults: ['api-killed', 'dispatcher-killed', 'postgres-connection-cut', 'postgres-connection-slow'],
  pauseSeconds: [0.5, 2],
  seconds: 60,
  rate: 15,
  breaks: [{ promise: 2, says: /its last event says|does not have that|has the sequence/ }],
};
