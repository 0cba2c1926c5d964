import t from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';

const open = createAddressPolicy([]);

t.test('the edges of every internal IPv4 range', async (t) => {
  const table: [below: string | null, first: string, last: string, above: string | null][] = [
    [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
    [null, '240.0.0.0', '255.255.255.255', null],
  ];
  for (const [below, first, last, above] of table) {
    t.notOk(open.allows(first), first);
    t.notOk(open.allows(last), last);
    t.notOk(open.allows(`::ffff:${first}`), `::ffff:${first}`);
    for (const outside of [below, above]) {
      if (outside === null) continue;
      t.ok(open.allows(outside), outside);
      t.ok(open.allows(`::ffff:${outside}`), `::ffff:${outside}`);
    }
  }
});

t.test('IPv6: global unicast and nothing else', async (t) => {
  const allowed = [
    '2000::1',
    '2001:200::1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '3ffe::1',
    '3fff:1000::1',
  ];
  for (const ip of allowed) t.ok(open.allows(ip), ip);
  const refused = [
    '::',
    '::1',
    '::7f00:1', // IPv4-compatible
    '::ffff:7f00:1', // IPv4-mapped
    '::ffff:0:7f00:1', // SIIT
    '::8.8.8.8',
    '64:ff9b::7f00:1', // NAT64
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::7f00:1', // NAT64, local use
    '100::1', // discard
    '1fff:ffff::1',
    '2001::1', // Teredo
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2002:7f00:1::1', // 6to4
    '2002:808:808::1',
    '3fff:0fff::1',
    '4000::1',
    '5f00::1', // segment routing
    'fc00::1',
    'fd00:ec2::254', // a cloud's metadata
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1', // site-local
    'ff02::1',
    '2606:4700::1111%eth0', // behind an interface, not on the internet
  ];
  for (const ip of refused) t.notOk(open.allows(ip), ip);
});

t.test('only addresses in plain spelling are allowed', async (t) => {
  for (const ip of [
    '',
    'localhost',
    '8.8.8',
    '0x8.8.8.8',
    '010.8.8.8',
    '134744072',
    '[2606:4700::1]',
    '8.8.8.8/32',
  ]) {
    t.notOk(open.allows(ip), JSON.stringify(ip));
  }
});

t.test('an allowed CIDR opens itself, its IPv4-mapped form, and nothing else', async (t) => {
  const policy = createAddressPolicy(['127.0.0.2/32', '10.1.0.0/16', 'fd00:1::/32', 'fe80::/10']);
  const allowed = [
    '127.0.0.2',
    '::ffff:127.0.0.2',
    '::ffff:7f00:2',
    '10.1.255.255',
    '::ffff:a01:1',
    'fd00:1::9',
  ];
  for (const ip of [...allowed, 'fe80::1', 'fe80::1%eth0', '8.8.8.8']) t.ok(policy.allows(ip), ip);
  for (const ip of [
    '127.0.0.1',
    '127.0.0.3',
    '::ffff:127.0.0.1',
    '10.2.0.0',
    'fd00:2::9',
    '::1',
    '::7f00:2',
  ]) {
    t.notOk(policy.allows(ip), ip);
  }
});

t.test('every bit of a CIDR counts', async (t) => {
  const table: [cidr: string, inside: string[], outside: string[]][] = [
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['127.0.0.1', '172.16.0.0']],
    ['10.20.0.0/15', ['10.20.0.0', '10.21.255.255'], ['10.19.255.255', '10.22.0.0']],
    ['10.0.0.255/31', ['10.0.0.254', '10.0.0.255'], ['10.0.0.253', '10.0.1.0']],
    ['0.0.0.0/0', ['127.0.0.1', '255.255.255.255', '::ffff:127.0.0.1'], ['::1', '::7f00:1', 'fd00::1']],
    ['fd00::/8', ['fd00::', 'fdff:ffff::1'], ['fc00::1', 'fe00::1', '10.0.0.1']],
    ['fd12:3400::/23', ['fd12:3400::', 'fd12:35ff:ffff::'], ['fd12:33ff::', 'fd12:3600::']],
    ['::1/128', ['::1', '0:0:0:0:0:0:0:1'], ['::', '::2', '127.0.0.1', '::ffff:127.0.0.1']],
  ];
  for (const [cidr, inside, outside] of table) {
    const policy = createAddressPolicy([cidr]);
    for (const ip of inside) t.ok(policy.allows(ip), `${ip} in ${cidr}`);
    for (const ip of outside) t.notOk(policy.allows(ip), `${ip} not in ${cidr}`);
  }
});

t.test('a bad CIDR is named in the error', async (t) => {
  const bad = [
    '',
    '10.0.0.1',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0/8',
    '10.0.0.0/8/8',
    'x/10.0.0.0/8',
    'fd00::/129',
  ];
  for (const cidr of [
    ...bad,
    'localhost/8',
    '0x7f.0.0.0/8',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    'fe80::%eth0/10',
    '/8',
  ]) {
    t.throws(() => createAddressPolicy(['127.0.0.0/8', cidr]), {
      name: 'TypeError',
      message: `"${cidr}" is not a CIDR such as 10.0.0.0/8 or fd00::/8`,
    });
  }
});

t.test('hosts: literals are judged in any spelling, names are not', async (t) => {
  const refused = [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '0177.1',
    '127.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '127.0.0.1.',
  ];
  for (const host of [
    ...refused,
    '::1',
    '[::1]',
    '[::ffff:7f00:1]',
    '%31%32%37.0.0.1',
    '127.0.0.1/x',
    '0',
    '',
  ]) {
    t.notOk(open.allowsHostname(host), JSON.stringify(host));
  }
  for (const host of [
    '256.256.256.256',
    '1.2.3.4.5',
    'a b',
    'user@127.0.0.1',
    '127.0.0.1:80',
    '[fe80::1%25eth0]',
  ]) {
    t.notOk(open.allowsHostname(host), `${host} is no host`);
  }
  for (const host of [
    'localhost',
    'store.example',
    'açaí.example',
    '8.8.8.8',
    '[2606:4700::1111]',
    '2606:4700::1111',
  ]) {
    t.ok(open.allowsHostname(host), host);
  }
  t.ok(createAddressPolicy(['127.0.0.0/8']).allowsHostname('0x7f.1'), 'an allowed literal too');
});

t.test('a denied address is refused in every form, even if public or allowed', async (t) => {
  const deny = ['2600:1f18::/32', '52.0.0.0/11', '10.1.0.0/16', '::ffff:198.41.0.0/112'];
  const policy = createAddressPolicy(['10.0.0.0/8', 'fd00::/8', '::/0'], deny);
  const refused = [
    ...['2600:1f18::1', '2600:1f18:ffff::1', '2600:1f18::1%eth0'],
    ...['52.0.0.0', '52.31.255.255', '::ffff:52.1.2.3', '::ffff:3401:203'],
    ...['10.1.0.1', '::ffff:10.1.0.1', '198.41.0.1', '::ffff:198.41.0.1'],
  ];
  for (const ip of refused) t.notOk(policy.allows(ip), ip);
  for (const ip of ['2600:1f19::1', '52.32.0.0', '::ffff:52.32.0.0', '10.2.0.1', '198.42.0.1', 'fd00::1'])
    t.ok(policy.allows(ip), ip);
  for (const host of ['[2600:1f18::1]', '52.1.2.3', '0x34010203', '[::ffff:52.1.2.3]', '872481283'])
    t.notOk(policy.allowsHostname(host), host);
  t.ok(policy.allowsHostname('store.example'), 'a name is judged by its addresses');
});

t.test('a denied entry must be a CIDR', async (t) => {
  t.throws(() => createAddressPolicy([], ['52.0.0.0']), { name: 'TypeError', message: '"52.0.0.0" is not' });
});
