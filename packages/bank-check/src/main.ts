import { parseArgs } from 'node:util';
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

const { values } = parseArgs({
  options: {
    bank: { type: 'string' },
    pay: { type: 'boolean', default: false },
    wait: { type: 'string', default: '300' },
    help: { type: 'boolean' },
  },
});

// Ctrl-C may arrive twice: from the terminal, and from npm.
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.abort());

const payWithinMs = Number(values.wait) * 1_000;

if (values.help) console.log(usage);
else if (!(payWithinMs >= 0 && Number.isFinite(payWithinMs))) {
  console.error(`--wait is a number of seconds, not ${values.wait}`);
  process.exitCode = 1;
} else {
  const works = await checkBank(process.env, {
    bank: values.bank,
    pay: values.pay,
    payWithinMs,
    endWithinMs: 120_000,
    signal: ended.signal,
    now: () => new Date(),
    print: (line) => console.log(line),
  });
  process.exitCode = works ? 0 : 1;
}
