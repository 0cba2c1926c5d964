import t from 'tap';
import { canonicalKey, isSameKey } from '../src/keys.ts';

t.test('keys are compared as DICT writes them', (t) => {
  const cases: [string, string][] = [
    ['Loja@Exemplo.COM', 'loja@exemplo.com'],
    [' 7D9F0335-8DCC-4054-9BF9-0DBD61D36906', '7d9f0335-8dcc-4054-9bf9-0dbd61d36906'],
    ['+55 (11) 98765-4321', '+5511987654321'],
    ['+5511987654321', '+5511987654321'],
    ['55 (11) 98765-4321', '+5511987654321'],
    ['551133334444', '+551133334444'],
    ['123.456.789-09', '12345678909'],
    ['12.345.678/0001-95', '12345678000195'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
    ['a key of no known form', 'a key of no known form'],
  ];
  for (const [written, canonical] of cases) t.equal(canonicalKey(written), canonical);
  t.ok(isSameKey('Loja@Exemplo.COM', 'loja@exemplo.com'));
  t.notOk(isSameKey('loja@exemplo.com', 'outra@exemplo.com'));
  t.ok(isSameKey('loja@exemplo.com', null), 'no key contradicts nothing');
  t.end();
});
