import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path/posix';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Asset = { type: string; content: Buffer; readonly gzipped: Buffer; version: string };

/** Files that pages load, by name. */
export type Assets = Record<string, Asset>;

const hidden = { schema: { hide: true } };
const kept = 'public, max-age=31536000, immutable';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** @returns the files of a folder, with a version made from their content */
export function readAssets(folder: URL, paths: readonly string[]): Assets {
  return Object.fromEntries(
    paths.map((path) => [basename(path), assetOf(extname(path), readFileSync(new URL(path, folder)))]),
  );
}

function assetOf(extension: string, content: Buffer): Asset {
  const version = createHash('sha256').update(content).digest('base64url').slice(0, 10);
  let gzipped: Buffer | undefined;
  return {
    type: types[extension] as string,
    content,
    version,
    // Zipped for the first reader: no start waits for it.
    get gzipped() {
      gzipped ??= gzipSync(content);
      return gzipped;
    },
  };
}

/** @returns the address of an asset below `prefix`; another content has another address */
export function addressOf(assets: Assets, prefix: string, name: string): string {
  return `${prefix}/${name}?v=${assets[name]?.version}`;
}

/**
 * Serves the files below `prefix`. Browsers keep an address with the version that is served here. They ask again for
 * any other: modules import each other without a version, and during a release two replicas serve two versions.
 */
export function serveAssets(app: FastifyInstance, assets: Assets, prefix: string): void {
  for (const [name, asset] of Object.entries(assets)) {
    const { type, version } = asset;
    const etag = `W/"${version}"`;
    app.get<{ Querystring: { v?: unknown } }>(`${prefix}/${name}`, hidden, async (request, reply) => {
      const isKept = request.query.v === version;
      void reply.type(type).headers({ 'cache-control': isKept ? kept : 'no-cache', etag });
      return sendUnlessKept(request, reply, asset, etag);
    });
  }
}

/** @returns whether the client has the content already, or a cache before it: RFC 9110, 13.1.2 */
export function hasCopy(request: FastifyRequest, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  const known = request.headers['if-none-match']?.split(',').map(opaque) ?? [];
  return known.includes(opaque(etag)) || known.includes('*');
}

/** Sends what was zipped beforehand, or a 304 with the same headers to those who have it: RFC 9110, 15.4.5. */
export function sendUnlessKept(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Zipped,
  etag: string,
): FastifyReply {
  if (!hasCopy(request, etag)) return sendZipped(request, reply, page);
  return reply.header('vary', varies).code(304).send();
}

type Zipped = { content: string | Buffer; gzipped: Buffer };

const varies = 'accept-encoding';

/** A coding with `q=0` is one that the client does not take: RFC 9110, 12.5.3. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Sends what was zipped beforehand, or its plain content to those who don't take that. */
export function sendZipped(request: FastifyRequest, reply: FastifyReply, page: Zipped): FastifyReply {
  const zips = takesGzip.test(request.headers['accept-encoding'] ?? '');
  void reply.header('vary', varies);
  if (zips) void reply.header('content-encoding', 'gzip');
  return reply.send(zips ? page.gzipped : page.content);
}
