import { posix } from 'node:path';
import t from 'tap';
import { docsSite, type Site } from '../src/docs-site/site.ts';

/** The static site has what the service's docs have, and needs no server. */
const site = await docsSite();
const text = (of: Site, file: string) => of.get(file)?.toString() ?? '';
const pages = [...site.keys()].filter((file) => file.endsWith('.html'));

t.test('it has every page in both languages, as Markdown too, and the documents', (t) => {
  for (const name of ['index.html', 'guide.html', 'security.html', 'guide.md', 'reference.md'])
    for (const folder of ['', 'pt/']) t.ok(site.has(folder + name), folder + name);
  for (const file of ['llms.txt', 'search.json', 'openapi.json', 'openapi.yaml', 'openapi-3.0.json'])
    t.ok(site.has(file), file);
  t.match(JSON.parse(text(site, 'openapi.json')), { openapi: /^3\.1/ });
  t.match(text(site, 'guide.html'), 'localhost:3003/bank/pay', 'it names the addresses of npm start');
  t.end();
});

t.test('every link is relative and leads to a file and a place of it, from any path', (t) => {
  for (const file of pages) {
    for (const [, link = ''] of text(site, file).matchAll(/(?:href|src|data-docs)="([^"]+)"/g)) {
      if (/^https?:\/\/|^mailto:/.test(link)) continue;
      t.notMatch(link, /^\//, `${file}: ${link}`);
      const [path = '', hash] = (link.split('?')[0] ?? '').split('#');
      const to = path === '' ? file : posix.join(posix.dirname(file), path);
      if (path !== '.' && path !== '..') t.ok(site.has(to), `${file}: ${link}`);
      if (hash) t.match(text(site, to), `id="${hash}"`, `${file}: ${link}`);
    }
  }
  for (const { href } of JSON.parse(text(site, 'search.json'))) {
    const [file, hash] = href.split('#');
    t.match(text(site, file), `id="${hash}"`, href);
  }
  t.end();
});

t.test('what programs read links files, too', (t) => {
  for (const file of [...site.keys()].filter((one) => /\.(md|txt)$/.test(one)))
    for (const [, link = ''] of text(site, file).matchAll(/\]\(([^)]+)\)/g)) {
      t.notMatch(link, 'localhost:3000/docs', `${file}: ${link}`);
      if (/^https?:/.test(link)) continue;
      t.ok(site.has(posix.join(posix.dirname(file), link.split('#')[0] ?? '')), `${file}: ${link}`);
    }
  t.end();
});

t.test('it may send nothing anywhere, and runs nothing of others', (t) => {
  for (const file of pages) {
    t.match(
      text(site, file),
      /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'/,
    );
    t.notMatch(text(site, file), /frame-ancestors|rel="canonical"/, file);
  }
  t.end();
});

t.test('for a service and an address of its own, it names these and no simulated bank', async (t) => {
  const own = await docsSite({
    service: 'https://pay.example.com/pix/',
    url: 'https://docs.example.com/pay',
  });
  t.strictSame([...own.keys()].sort(), [...site.keys()].sort());
  const guide = text(own, 'pt/guide.html');
  t.match(guide, '<link rel="canonical" href="https://docs.example.com/pay/pt/guide.html">');
  t.match(text(own, 'index.html'), '<link rel="canonical" href="https://docs.example.com/pay/">');
  t.match(guide, 'https://pay.example.com/pix/api-public/payments');
  t.match(text(own, 'llms.txt'), '](https://docs.example.com/pay/guide.md)');
  for (const [file, content] of own) t.notMatch(content.toString(), 'localhost', file);
});
