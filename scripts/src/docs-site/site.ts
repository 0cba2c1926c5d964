import { posix } from 'node:path';
import { pagePolicy } from '@payments/api/http/headers';
import { buildPublicApp } from '@payments/api/public/app';
import { documentsContext } from '../documents-context.ts';

/** The addresses of `npm start`. */
const local = { service: 'http://localhost:3000', simulatorUrl: 'http://localhost:3003' };

export type SiteOptions = {
  /** The service that the pages describe; without it that of `npm start`, with its simulated bank. */
  service?: string | undefined;
  /** Where the site will be: its pages name it as their own address. */
  url?: string | undefined;
};

/** The files of the site, by their path in its folder. */
export type Site = Map<string, Buffer>;

/**
 * Makes the static site: asks the public listener for its docs as a browser would, follows the links, and makes them
 * relative. So the site has each page and document that the service has, and no source of its own.
 */
export async function docsSite(options: SiteOptions = {}): Promise<Site> {
  const service = (options.service ?? local.service).replace(/\/$/, '');
  const simulatorUrl = options.service === undefined ? local.simulatorUrl : undefined;
  const { context, log, close } = documentsContext({ publicUrl: service, simulatorUrl });
  const app = await buildPublicApp(context, log);
  try {
    // The path of the service's address, if it has one, is a proxy's: the listener's routes are without it.
    const prefix = new URL(service).pathname.replace(/\/$/, '');
    const site: Site = new Map();
    const waiting = ['/docs', '/docs/pt', '/docs/search.json', '/llms.txt'];
    for (const path of waiting) {
      const file = fileOf(path);
      if (site.has(file)) continue;
      const { statusCode, rawPayload, headers } = await app.inject(path);
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      const place = { file, service, prefix, url: options.url?.replace(/\/$/, '') };
      const { content, links } = rewritten(rawPayload, String(headers['content-type']), place);
      site.set(file, content);
      waiting.push(...links);
    }
    return site;
  } finally {
    await app.close();
    await close();
  }
}

type Place = { file: string; service: string; prefix: string; url: string | undefined };
type Rewritten = { content: Buffer; links: string[] };

const names: Record<string, string> = {
  '/docs': 'index.html',
  '/docs/pt': 'pt/index.html',
  '/docs/json': 'openapi.json',
  '/docs/yaml': 'openapi.yaml',
};

/** @returns the file of a path of the listener: a page is HTML, a document has its own ending */
export function fileOf(path: string): string {
  const [known = '', query] = path.split('?');
  const named = names[known.replace(/\/$/, '')];
  if (named) return named;
  const name = known.replace(/^\/(docs\/)?/, '');
  return posix.extname(name) || query ? name : `${name}.html`;
}

/** @returns a page or text with relative links, and the paths that it links */
function rewritten(content: Buffer, type: string, place: Place): Rewritten {
  if (type.startsWith('text/html')) return page(content.toString(), place);
  if (place.file === 'search.json') return { content: found(content.toString(), place), links: [] };
  if (/markdown|plain/.test(type)) return text(content.toString(), place);
  return { content, links: [] };
}

function page(html: string, place: Place): Rewritten {
  const { service, prefix, url } = place;
  const links: string[] = [];
  const root = relative(place.file, '.');
  const own = url === undefined ? '' : `<link rel="canonical" href="${addressOf(url, place.file)}">`;
  const policy = pagePolicy().replace(/; frame-ancestors [^;]+/, '');
  const made = html
    .replace(/<link rel="canonical"[^<>]*>/, own)
    .replace('<meta charset="utf-8">', `$&\n<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/ data-base="[^"]*" data-docs="[^"]*"/, ` data-docs="${root}" data-service="${service}"`)
    .replace(/((?:href|src)=")([^"]+)"/g, (whole, lead: string, link: string) => {
      const path = link.startsWith(`${prefix}/`) ? link.slice(prefix.length) : '';
      if (!isOurs(path)) return whole;
      const [to = '', hash] = path.split('#');
      links.push(to);
      return `${lead}${relative(place.file, to)}${hash ? `#${hash}` : ''}"`;
    });
  return { content: Buffer.from(made), links };
}

/** Markdown is read out of its place, too: with `url` its links are whole. */
function text(markdown: string, place: Place): Rewritten {
  const { service, url, file } = place;
  const links: string[] = [];
  const made = markdown.replace(/(\]\()([^)#]+)/g, (whole, lead: string, link: string) => {
    const path = link.startsWith(`${service}/`) ? link.slice(service.length) : '';
    if (!isOurs(path)) return whole;
    links.push(path);
    return lead + (url === undefined ? relative(file, path) : `${url}/${fileOf(path)}`);
  });
  return { content: Buffer.from(made), links };
}

/** The addresses that a search finds are relative to the site's folder. */
function found(json: string, { prefix }: Place): Buffer {
  const entries = (JSON.parse(json) as { href: string }[]).map((entry) => {
    const [path = '', hash] = entry.href.slice(prefix.length).split('#');
    return { ...entry, href: `${fileOf(path)}#${hash}` };
  });
  return Buffer.from(JSON.stringify(entries));
}

const isOurs = (path: string) => /^\/docs([/?#]|$)/.test(path) || path === '/llms.txt';

const addressOf = (url: string, file: string) => `${url}/${file.replace(/(^|\/)index\.html$/, '$1')}`;

/** @returns the way from a file's folder to what a path is; a version in the address stays */
function relative(file: string, path: string): string {
  const [, version] = path.split('?');
  const to = path === '.' ? '.' : fileOf(path);
  const way = posix.relative(posix.dirname(file), to) || '.';
  return version ? `${way}?${version}` : way;
}
