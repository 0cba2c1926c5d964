import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { v7 } from 'uuid';
import { databaseUrl, poolSize, port, storeToken } from './listen.ts';
import { connectToPsp } from './psp.ts';
import { findToken, findTokenAndPayment, insertPayment, insertStore } from './statements.ts';

/** The bare side: the service's prepared statements, each behind a route, without validation, logs or events. */
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
const putCharge = await connectToPsp();
const app = Fastify();

const hashOf = (authorization = '') =>
  createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
// The statement below counts payments itself. The service's triggers would count them again, and keep totals, too.
await pool.query('alter table payments disable trigger user');
await pool.query({ ...insertStore, values: [hashOf(`Bearer ${storeToken}`)] });

type Creation = { amount: number; email?: string; observation?: string; webhookUrl?: string };

app.post<{ Body: Creation }>('/api-public/payments', async (request, reply) => {
  const { rows } = await pool.query({ ...findToken, values: [hashOf(request.headers.authorization)] });
  const storeId = rows[0]?.store;
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
  const event = [v7(), JSON.stringify(view)];
  await pool.query({
    ...insertPayment,
    values: [id, storeId, centavos, ...optional, expiresAt, now, ...event],
  });
  return view;
});

app.get<{ Params: { id: string } }>('/api-public/payments/:id', async (request, reply) => {
  const values = [hashOf(request.headers.authorization), request.params.id];
  const { rows } = await pool.query({ ...findTokenAndPayment, values });
  const row = rows[0];
  if (!row?.id) return reply.code(404).send();
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
