import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable } from '@payments/backing-services/executable';
import { findToken, findTokenAndPayment, insertPayment } from '../../../bench/src/statements.ts';
import type { Ground } from '../ground.ts';
import type { BenchStore } from '../stores.ts';

/** Where Debian puts it; it is a link there, when postgresql-client-common is installed. */
const places = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
const clients = 10;

export type PgBench = { transactionsPerSecond(script: string, seconds: number): Promise<number> };

/** @returns nothing where there is no pgbench */
export function pgbenchOn(ground: Ground, databaseUrl: string): PgBench | undefined {
  const program = findExecutable('pgbench', places);
  if (program === undefined) return undefined;
  return {
    transactionsPerSecond: async (script, seconds) => {
      const file = join(ground.dir, `${createHash('sha1').update(script).digest('hex')}.sql`);
      writeFileSync(file, script);
      const load = [
        '-n',
        '-M',
        'prepared',
        '-c',
        String(clients),
        '-j',
        '1',
        '-T',
        String(Math.ceil(seconds)),
      ];
      // A variable: what follows a colon in a script is taken for one.
      const event = ['-D', `payload=${JSON.stringify(filler)}`];
      const { stdout } = await promisify(execFile)(program, [...load, ...event, '-f', file, databaseUrl]);
      return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    },
  };
}

/** The statements of one creation: token, then payment, count and event. */
export function creationScript({ id, token }: BenchStore): string {
  return script([
    [findToken.text, [tokenLiteral(token)]],
    [
      insertPayment.text,
      [
        'uuidv7()',
        `'${id}'::uuid`,
        '1990',
        "'Pedido 12345'",
        "'cliente@example.com'",
        'null',
        `'${'0'.repeat(180)}'`,
        "now() + interval '1 day'",
        'now()',
        'uuidv7()',
        ':payload',
      ],
    ],
  ]);
}

/** The statement of one read by id. */
export function readScript({ token }: BenchStore, paymentId: string): string {
  return script([[findTokenAndPayment.text, [tokenLiteral(token), `'${paymentId}'::uuid`]]]);
}

const tokenLiteral = (token: string) => `'\\x${createHash('sha256').update(token).digest('hex')}'::bytea`;

function script(statements: [text: string, values: string[]][]): string {
  const filled = statements.map(([text, values]) =>
    text.replaceAll(/\$(\d+)/g, (_match, place: string) => values[Number(place) - 1] ?? 'null'),
  );
  return filled.map((text) => `${text.replaceAll(/\s+/g, ' ')};\n`).join('');
}

/** As long as the event of a creation. */
const filler = {
  id: '01936f2e-0000-7000-8000-000000000000',
  status: 'pending',
  amount: 19.9,
  feeAmount: null,
  liquidValue: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  observation: 'Pedido 12345',
  email: 'cliente@example.com',
  qrCodeUrl: 'http://127.0.0.1:3000/qr/01936f2e-0000-7000-8000-000000000000.png',
  qrCopyPaste: '0'.repeat(180),
  isPublic: true,
};
