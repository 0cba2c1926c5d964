import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The style, scripts and icons of pages: one server for the panel, the payer's page and the docs. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);

const kept = 'public, max-age=31536000, immutable';
const pages = { '/panel/sign-in': system.adminUrl, '/docs': system.url, '/pay/unknown': system.url };

const cachingOf = async (address: string, headers = {}) => {
  const answer = await fetch(address, { headers });
  const text = await answer.text();
  return {
    status: answer.status,
    caching: answer.headers.get('cache-control'),
    etag: answer.headers.get('etag') ?? '',
    text,
  };
};

for (const [path, base] of Object.entries(pages)) {
  t.test(`${path}: browsers keep what its addresses name, until it changes`, async (t) => {
    const page = await (await fetch(base + path)).text();
    const loaded = /<(?:link rel="(?:stylesheet|icon)"|script)[^>]*(?:href|src)="(\/[^"]+)"/g;
    const addresses = [...page.matchAll(loaded)].map(([, one]) => one!);
    t.equal(addresses.length, 3, 'style, script and icon');
    for (const address of addresses) {
      t.match(address, /\?v=[\w-]{10}$/);
      const { status, caching } = await cachingOf(base + address);
      t.strictSame([status, caching], [200, kept], address);
      const other = await cachingOf(`${base}${address.split('?')[0]}?v=ofanother`);
      t.strictSame([other.status, other.caching], [200, 'no-cache'], 'another release named it');
    }
  });
}

t.test(
  'modules that the panel’s script imports have no version: browsers ask again, and get a 304',
  async (t) => {
    const script = await cachingOf(`${system.adminUrl}/panel/assets/panel.js`);
    const imported = [...script.text.matchAll(/from '\.\/([\w-]+\.js)'/g)].map(([, name]) => name!);
    t.ok(imported.length >= 3);
    for (const name of imported) {
      const address = `${system.adminUrl}/panel/assets/${name}`;
      const first = await cachingOf(address);
      t.strictSame([first.status, first.caching], [200, 'no-cache'], name);
      const again = await cachingOf(address, { 'if-none-match': first.etag });
      t.strictSame([again.status, again.text], [304, ''], name);
    }
  },
);

t.test('an asset that there is not', async (t) => {
  for (const name of ['nothing.js', 'pay/pay.css', '..%2fpackage.json', '..%2f..%2fpackage.json'])
    t.equal((await cachingOf(`${system.adminUrl}/panel/assets/${name}`)).status, 404, name);
});

t.test('pages are zipped for those who take that', async (t) => {
  const zipped = ['gzip', 'GZIP', 'br, gzip;q=0.5', 'gzip;q=0.001', 'deflate;q=0, gzip'];
  const plain = ['identity', 'br', 'gzip;q=0', 'gzip; Q=0.000, br', '*;q=0'];
  for (const takes of [...zipped, ...plain]) {
    const { headers } = await fetch(`${system.url}/docs`, { headers: { 'accept-encoding': takes } });
    t.equal(headers.get('content-encoding'), zipped.includes(takes) ? 'gzip' : null, takes);
    t.equal(headers.get('vary'), 'accept-encoding');
  }
});

t.test('whoever has a copy gets its headers again, that of its kinds too', async (t) => {
  for (const path of ['/pay/assets/pay.css', '/docs/json']) {
    const known = { 'if-none-match': (await fetch(`${system.url}${path}`)).headers.get('etag') ?? '' };
    const { status, headers } = await fetch(`${system.url}${path}`, { headers: known });
    t.strictSame([status, headers.get('vary')], [304, 'accept-encoding'], path);
  }
});
