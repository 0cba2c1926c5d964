import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { parseArgs } from 'node:util';
import { nextAddressAfterMs } from '@payments/runtime/main';
import { checkBank } from './check.ts';

const usage = `npm run bank:check [-- --bank ID] [-- --pay] [-- --wait SECONDS]

Proves the connection to the bank that the PIX_* settings name, step by step: address, TLS and certificate, clock, token,
scopes, a charge of R$ 0,01 registered, read, decoded and removed, lists, and the callback where PUBLIC_URL or
PIX_CALLBACK_URL says where it is.

  --bank ID        the bank of BANKS_FILE, where that names several
  --pay            also awaits a real Pix of one centavo, and gives it back
  --wait SECONDS   how long the Pix is awaited (300)

Ctrl-C ends it. The charge is removed first, or its Pix is given back. That may take minutes while the bank fails.
`;

const options = {
  bank: { type: 'string' },
  pay: { type: 'boolean', default: false },
  wait: { type: 'string', default: '300' },
  help: { type: 'boolean' },
} as const;

// As the services reach the bank.
setDefaultAutoSelectFamilyAttemptTimeout(nextAddressAfterMs);

// Ctrl-C may arrive twice: from the terminal, and from npm.
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.abort());

const { bank, pay, wait, help } = read();
const payWithinMs = Number(wait) * 1_000;

if (help) console.log(usage);
else if (!(payWithinMs >= 0 && Number.isFinite(payWithinMs)))
  refuse(`--wait is a number of seconds, not ${wait}`);
else {
  const works = await checkBank(process.env, {
    bank,
    pay,
    payWithinMs,
    endWithinMs: 120_000,
    signal: ended.signal,
    now: () => new Date(),
    print: (line) => console.log(line),
  });
  process.exitCode = works ? 0 : 1;
}

function read() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(`${(error as Error).message} (--help tells the options)`);
  }
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(1);
}
