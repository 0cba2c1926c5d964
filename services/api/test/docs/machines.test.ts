import { startSystem } from '@payments/testing/system';
import { marked, type Tokens } from 'marked';
import t from 'tap';
import { examplesOf, type OpenApiDocument, operationsOf, resolve } from '../../src/docs/document.ts';
import { textNames } from '../../src/docs/languages.ts';

/** Texts for programs and their authors' assistants: `llms.txt`, each page as Markdown, links, `security.txt`. */
const simulatorUrl = 'http://localhost:3003';
const system = await startSystem({ dispatcher: false, env: { DOCS_SIMULATOR_URL: simulatorUrl } });
t.teardown(system.stop);
const own = system.env.PUBLIC_URL ?? '';
const open = { token: '' };
const document: OpenApiDocument = (await system.api('/docs/json')).body;
const pages = ['', '/pt'].flatMap((path) =>
  [...textNames, 'reference'].map((name) => `/docs${path}/${name}.md`),
);
const textOf = async (path: string) => (await system.api(path)).text;

t.test('llms.txt has the form of llmstxt.org and links every page and document', async (t) => {
  const { status, text, headers } = await system.api('/llms.txt');
  t.equal(status, 200);
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  const tokens = marked.lexer(text).filter(({ type }) => type !== 'space');
  const [title, summary, ...rest] = tokens;
  t.match(title, { type: 'heading', depth: 1, text: 'Public Payments Service' });
  t.match(summary, { type: 'blockquote', text: /Pix/ });
  const headings = rest.filter(({ type }) => type === 'heading') as Tokens.Heading[];
  t.ok(headings.every(({ depth }) => depth === 2));
  t.equal(headings.at(-1)?.text, 'Optional', 'what can be left out comes last');
  const listed = rest.slice(rest.indexOf(headings[0]!)).filter(({ type }) => type !== 'heading');
  for (const list of listed as Tokens.List[])
    for (const { text: item } of list.items) t.match(item, /^\[[^\]]+\]\([^)]+\): ./, item);
  const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link = '']) => link);
  for (const page of pages) t.ok(links.includes(own + page), page);
  for (const link of links) t.equal((await fetch(link)).status, 200, link);
});

t.test('each page is Markdown with whole addresses that lead somewhere', async (t) => {
  for (const path of pages) {
    const { status, text, headers } = await system.api(path);
    t.equal(status, 200, path);
    t.equal(headers.get('content-type'), 'text/markdown; charset=utf-8');
    t.match(text, /^# /);
    t.notMatch(
      text,
      /<!-- |\{(base_url|docs|documents|bank_url|security_contact)\}/,
      'every place is filled',
    );
    const links = new Set([...text.matchAll(/\]\((.*?)\)/g)].map(([, link = '']) => link));
    for (const link of links) {
      t.match(link, /^https?:\/\//, path);
      if (!link.startsWith(own)) continue;
      const answer = await fetch(link);
      t.equal(answer.status, 200, link);
      const [, id] = link.split('#');
      if (id) t.match(await answer.text(), `id="${id}"`, link);
    }
  }
});

t.test('the guide as Markdown has its programs, its errors by code and no token', async (t) => {
  const text = await textOf('/docs/guide.md');
  for (const language of ['bash', 'js', 'python', 'php', 'ts']) t.match(text, `\n\`\`\`${language}\n`);
  t.match(text, 'export TOKEN=YOUR_TOKEN');
  t.match(text, `${simulatorUrl}/bank/pay`);
  t.match(text, '| 401 | `tokenSuperseded` |');
  t.match(text, 'A payment begins as pending.', 'the picture in words');
  t.match(await textOf('/docs/pt/guide.md'), '# Guia de integração');
});

t.test('the Markdown reference is complete: operations, fields, errors by code', async (t) => {
  for (const [path, required] of [
    ['', 'required'],
    ['/pt', 'obrigatório'],
  ]) {
    const text = await textOf(`/docs${path}/reference.md`);
    t.match(text, `- \`amount\` (number; ${required}`);
    for (const located of operationsOf(document)) {
      const { method, path: at, operation, isWebhook } = located;
      t.match(text, isWebhook ? `webhook \`${at}\`` : `\`${method.toUpperCase()} ${at}\``);
      for (const parameter of operation.parameters ?? [])
        t.match(text, `- \`${resolve(document, parameter).name}\``);
      for (const [status, response] of Object.entries(operation.responses)) {
        const media = resolve(document, response).content?.['application/json'];
        if (status < '400' || !media) continue;
        for (const { 'x-error-code': code, value } of examplesOf(document, media))
          t.match(text, `\`${(value as { message: string }).message}\` (\`${code}\`)`);
      }
    }
    for (const [name, { properties = {} }] of Object.entries(document.components?.schemas ?? {})) {
      const [, section = ''] = text.split(`\n### \`${name}\`\n`);
      const own = section.split('\n### ')[0] ?? '';
      for (const field of Object.keys(properties)) t.match(own, `- \`${field}\``, `${name}.${field}`);
    }
  }
});

t.test('an error’s code in the reference is the one that is answered', async (t) => {
  const text = await textOf('/docs/reference.md');
  const { token } = await system.createStore();
  const wrong: [string, object][] = [
    ['/api-public/payments', { token: '' }],
    ['/api-public/payments', { token: 'pp_none' }],
    ['/api-public/payments', { token, body: { amount: 1 } }],
    ['/api-public/payments', { token, body: { amount: 10, email: 'none' } }],
    ['/api-public/events?after=none', { token }],
  ];
  for (const [path, request] of wrong) {
    const { headers, body } = await system.api(path, request);
    t.ok(
      text.includes(`\`${body.message}\` (\`${headers.get('error-code')}\`)`),
      `${headers.get('error-code')}: ${body.message}`,
    );
  }
});

t.test('copies may be kept, and are asked after cheaply', async (t) => {
  for (const path of ['/llms.txt', ...pages]) {
    const { headers } = await system.api(path);
    t.equal(headers.get('cache-control'), 'public, max-age=3600', path);
    const etag = headers.get('etag') ?? '';
    // A proxy that zips makes a tag weak, one that unzips may make it strong, and a cache may name several.
    for (const known of [etag, etag.replace('W/', ''), `"another", ${etag}`, '*'])
      t.equal((await fetch(own + path, { headers: { 'if-none-match': known } })).status, 304, known);
    const head = await fetch(own + path, { method: 'HEAD', headers: { 'if-none-match': etag } });
    t.equal(head.status, 304);
    t.equal(head.headers.get('content-length'), null, 'a cache would take it for the length of its copy');
    const other = await fetch(own + path, { headers: { 'if-none-match': '"another"' } });
    t.equal(other.status, 200);
  }
});

t.test('pages name their own address, the other language, Markdown and what they document', async (t) => {
  for (const [path, markdown] of [
    ['/docs', '/docs/reference.md'],
    ['/docs/pt/guide', '/docs/pt/guide.md'],
  ]) {
    const { text, headers } = await system.api(path ?? '');
    t.match(text, `<link rel="canonical" href="${own}${path}">`);
    t.match(text, /<link rel="alternate" hreflang="en" href="\/docs[^"]*">/);
    t.match(text, /<link rel="alternate" hreflang="pt-BR" href="\/docs\/pt[^"]*">/);
    t.match(text, `<link rel="alternate" type="text/markdown" href="${markdown}">`);
    const link = headers.get('link') ?? '';
    t.match(link, '</docs/json>; rel="service-desc"; type="application/json"');
    t.match(link, '</docs>; rel="service-doc"; type="text/html"');
    t.match(link, `<${own}${path}>; rel="canonical"`);
    t.match(link, `<${markdown}>; rel="alternate"; type="text/markdown"`);
  }
});

t.test('who has no token is told where the interface is described', async (t) => {
  for (const path of ['/api-public/payments', '/api-public', '/']) {
    const { status, headers } = await system.api(path);
    t.ok([401, 404].includes(status), path);
    t.match(headers.get('link'), '</docs/json>; rel="service-desc"', path);
  }
});

t.test('the administration has its reference for programs, too, and names no other address', async (t) => {
  const { text } = await system.admin('/docs/reference.md', open);
  t.match(text, '`POST /admin/stores`');
  const list = await system.admin('/llms.txt', open);
  t.match(list.text, '](/docs/reference.md)');
  t.notMatch(list.text + text, own);
  t.equal((await system.admin('/docs/guide.md', open)).status, 404);
  t.equal((await system.admin('/.well-known/security.txt', open)).status, 404);
});
