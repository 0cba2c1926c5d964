import { createServer } from 'node:http';
import pg from 'pg';
import { databaseUrl, poolSize, port } from './listen.ts';

/**
 * The bare side of the floods: `node:http` without a framework. It refuses at once, with what it was told to answer, and
 * a sale is one round trip to PostgreSQL. What its sales wait beside a flood is what connections and parsing cost.
 */
type Refusal = { status: number; headers: Record<string, string>; body: string };

const refusals: Record<string, Refusal> = JSON.parse(process.env.REFUSALS ?? '{}');
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });

const server = createServer(async ({ method, url = '' }, response) => {
  const refusal = refusals[`${method} ${url.split('?')[0]}`];
  if (refusal) {
    response.writeHead(refusal.status, refusal.headers).end(refusal.body);
    return;
  }
  if (method === 'POST') await pool.query('select 1');
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
server.listen(port, '127.0.0.1');
