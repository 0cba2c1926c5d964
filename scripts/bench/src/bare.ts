import { createHash, randomInt } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { v7 } from 'uuid';
import { databaseUrl, poolSize, port } from './listen.ts';
import { connectToPsp } from './psp.ts';
import { findPayment, findToken, insertPayment } from './statements.ts';

/** The bare side: the service's statements, prepared, behind one route each; no validation, no log, no events sent. */
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
const putCharge = await connectToPsp();
const app = Fastify();

async function storeOf(authorization = ''): Promise<string | undefined> {
  const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
  const { rows } = await pool.query({ ...findToken, values: [hash] });
  return rows[0]?.id;
}

type Creation = { amount: number; email?: string; observation?: string; webhookUrl?: string };

app.post<{ Body: Creation }>('/api-public/payments', async (request, reply) => {
  const storeId = await storeOf(request.headers.authorization);
  if (storeId === undefined) return reply.code(401).send();
  const { amount, email = null, observation = null, webhookUrl = null } = request.body;
  const id = v7();
  const now = new Date();
  const qrCopyPaste = await putCharge(id.replaceAll('-', ''), amount);
  const view = {
    id,
    status: 'pending',
    amount,
    feeAmount: null,
    liquidValue: null,
    storeId,
    createdAt: now.toISOString(),
    observation,
    email,
    qrCodeUrl: `http://127.0.0.1:${port}/qr/${id}.png`,
    qrCopyPaste,
    isPublic: true,
  };
  const centavos = Math.round(amount * 100);
  const expiresAt = new Date(now.getTime() + 86_400_000);
  const optional = [observation, email, webhookUrl, qrCopyPaste];
  const event = [randomInt(32), v7(), JSON.stringify(view)];
  await pool.query({
    ...insertPayment,
    values: [id, storeId, centavos, ...optional, expiresAt, now, ...event],
  });
  return view;
});

app.get<{ Params: { id: string } }>('/api-public/payments/:id', async (request, reply) => {
  const storeId = await storeOf(request.headers.authorization);
  const { rows } = await pool.query({ ...findPayment, values: [request.params.id, storeId] });
  const row = rows[0];
  if (!row) return reply.code(404).send();
  return {
    id: row.id,
    status: row.status,
    amount: Number(row.amount) / 100,
    feeAmount: row.fee_amount,
    liquidValue: row.liquid_value,
    storeId: row.store_id,
    createdAt: row.created_at,
    observation: row.observation,
    email: row.email,
    qrCodeUrl: `http://127.0.0.1:${port}/qr/${row.id}.png`,
    qrCopyPaste: row.copy_and_paste,
    isPublic: row.is_public,
    webhookUrl: row.webhook_url,
  };
});

app.get('/health/ready', async () => ({ status: 'ok' }));
await app.listen({ port, host: '127.0.0.1' });
