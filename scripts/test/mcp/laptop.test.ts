import t from 'tap';
import { assertNoRealMoney, isLoopback } from '../../src/mcp/laptop.ts';

t.test('only this machine’s own addresses are', (t) => {
  for (const own of ['http://localhost:3000', 'http://127.0.0.1:1', 'http://127.8.9.1', 'http://[::1]:3000'])
    t.ok(isLoopback(own), own);
  const others = [
    'https://pay.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost@example.com',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::ffff:10.0.0.1]',
    '/',
    '',
  ];
  for (const other of others) t.notOk(isLoopback(other), other);
  t.end();
});

t.test('with a real bank, or in production, nothing acts', (t) => {
  t.doesNotThrow(() => assertNoRealMoney({ PUBLIC_URL: 'http://localhost:3000', PIX_URL: '' }));
  for (const env of [
    { NODE_ENV: 'production' },
    { PIX_URL: 'https://pix.bank.example' },
    { BANKS_FILE: '/etc/banks.json' },
    { PUBLIC_URL: 'https://pay.example.com' },
    { ADMIN_URL: 'https://admin.example.com' },
  ])
    t.throws(() => assertNoRealMoney(env), {
      name: 'NotALaptop',
      message: new RegExp(Object.keys(env)[0] ?? ''),
    });
  t.end();
});
