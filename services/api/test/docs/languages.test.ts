import { startSystem } from '@payments/testing/system';
import t from 'tap';
import type { OpenApiDocument } from '../../src/docs/document.ts';
import {
  commentsOf,
  firstPayments,
  followers,
  readSample,
  receivers,
  verifiers,
} from '../../src/docs/guide.ts';
import { english, portuguese, textNames, textsOf, translate } from '../../src/docs/languages.ts';
import { markdown } from '../../src/docs/markdown.ts';

/** The pages in Portuguese have what the English ones have. */
const simulatorUrl = 'http://localhost:3003';
const system = await startSystem({ dispatcher: false, env: { DOCS_SIMULATOR_URL: simulatorUrl } });
t.teardown(system.stop);
const document: OpenApiDocument = (await system.api('/docs/json')).body;
const pages = ['', ...textNames.map((name) => `/${name}`)];
const textOf = async (path: string) => (await system.api(path)).text;

t.test('every text of the document has its translation in docs/pt/reference.json', (t) => {
  const texts = textsOf(document);
  t.ok(texts.length > 100);
  const missing = texts.filter((text) => !portuguese.translations[text]);
  t.strictSame(missing, [], 'translate these');
  t.end();
});

t.test('every comment of the guide’s programs has its translation in docs/pt/samples.json', (t) => {
  const comments = [...firstPayments, ...verifiers, ...receivers, ...followers]
    .flatMap(({ file }) => commentsOf(readSample(file)))
    .filter((text) => !/^(\/?local$| *WEBHOOK_SECRET=)/.test(text));
  t.ok(comments.length > 20);
  const missing = comments.filter((text) => !portuguese.translations[text]);
  t.strictSame(missing, [], 'translate these');
  t.end();
});

t.test('translations keep names of fields, statuses and headers', (t) => {
  for (const [text, translation] of Object.entries(portuguese.translations)) {
    const codes = (one: string) => [...new Set(one.match(/`[^`]+`/g))].sort();
    t.strictSame(codes(translation), codes(text), text);
  }
  t.end();
});

t.test('a new field without a translation is found', (t) => {
  const { schemas } = structuredClone(document).components as { schemas: Record<string, object> };
  const changed = { ...document, components: { schemas: { ...schemas, New: { description: 'New.' } } } };
  t.strictSame(
    textsOf(changed).filter((text) => !portuguese.translations[text]),
    ['New.'],
  );
  t.match(translate(changed, portuguese.translations).components?.schemas?.New, { description: 'New.' });
  t.end();
});

t.test('a translated document differs in its texts only', (t) => {
  const translated = translate(document, portuguese.translations);
  t.strictSame(withoutTexts(translated), withoutTexts(document));
  t.not(translated.info.description, document.info.description);
  t.end();
});

t.test('both guides have the same sections, places, tables and commands', (t) => {
  for (const name of textNames) isTheSame(english.texts[name], portuguese.texts[name]);
  t.end();

  function isTheSame(one: string, other: string) {
    const headings = (text: string) => markdown(text).headings.map(({ depth }) => depth);
    t.strictSame(headings(other), headings(one));
    for (const part of [/<!-- .*? -->/g, /^\|/gm, /^- /gm, /^\d\. /gm, /^```\w*$/gm, /\]\([^)]+\)/g])
      t.strictSame(other.match(part), one.match(part), String(part));
    const commands = (text: string) => [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block]) => block);
    t.strictSame(commands(other), commands(one));
  }
});

t.test('the changes of the interface have the same days, newest first', (t) => {
  const days = (text: string) =>
    [...text.matchAll(/^## (\d{4}-\d\d-\d\d) \(\d+\.\d+\.\d+\)$/gm)].map(([, day]) => day);
  const own = days(english.texts.changes);
  t.ok(own.length >= 3);
  t.strictSame(own, own.toSorted().reverse());
  t.strictSame(days(portuguese.texts.changes), own);
  t.equal(own.length, english.texts.changes.match(/^## /gm)?.length);
  t.end();
});

t.test('both references describe the same operations and fields', async (t) => {
  const [one, other] = await Promise.all([textOf('/docs'), textOf('/docs/pt')]);
  for (const part of [
    / id="[^"]+"/g,
    /<code class="name">[^<]+/g,
    /<span class="status[^>]*>\d+/g,
    /data-path="[^"]+"/g,
  ]) {
    t.ok((one.match(part) ?? []).length > 4, String(part));
    t.strictSame(other.match(part), one.match(part), String(part));
  }
});

t.test('each page names its language and leads to the other one', async (t) => {
  for (const page of pages) {
    const [one, other] = await Promise.all([textOf(`/docs${page}`), textOf(`/docs/pt${page}`)]);
    t.match(one, '<html lang="en">');
    t.match(other, '<html lang="pt-BR">');
    t.ok(one.includes(`href="/docs/pt${page}" lang="pt-BR" hreflang="pt-BR">Português<`), page);
    t.ok(other.includes(`href="/docs${page}" lang="en" hreflang="en">English<`), page);
    const anchors = (text: string) => text.match(/ id="[^"]+"/g);
    t.strictSame(anchors(other), anchors(one), 'the anchors are the same');
    for (const [, id] of other.matchAll(/href="#([^"]+)"/g)) t.ok(other.includes(`id="${id}"`), `#${id}`);
    for (const [, path] of other.matchAll(/href="(\/[^"#]*)/g))
      t.equal((await system.api(path ?? '')).status, 200, `${path}`);
  }
});

t.test('the administration’s reference is in English alone', async (t) => {
  t.equal((await system.admin('/docs/pt', { token: '' })).status, 404);
  t.notMatch((await system.admin('/docs', { token: '' })).text, 'hreflang');
});

/** @returns a document without the texts and titles that are translated */
function withoutTexts(document: OpenApiDocument): string {
  return JSON.stringify(document, (key, value) =>
    ['description', 'summary', 'x-displayName'].includes(key) && typeof value === 'string'
      ? undefined
      : value,
  );
}
