import { Converter } from '@apiture/openapi-down-convert';
import type { OpenApiDocument } from '@payments/api/docs/document';

/** @returns an OpenAPI 3.0 rendering of a document, for tools that don't read 3.1 */
export function openApi30(document: object): object {
  const copy = structuredClone(document) as OpenApiDocument;
  addLicenseUrl(copy);
  moveWebhooks(copy);
  return new Converter(copy).convert();
}

/** 3.0 names a license by its URL, not by its identifier. */
function addLicenseUrl({ info }: OpenApiDocument): void {
  const { license } = info;
  if (!license?.identifier) return;
  license.url = `https://spdx.org/licenses/${license.identifier}.html`;
  delete license.identifier;
}

/** 3.0 has no webhooks. Ours go to the URL in the body of a creation, which 3.0 calls callbacks. */
function moveWebhooks(document: OpenApiDocument): void {
  const { webhooks = {} } = document;
  delete document.webhooks;
  const creation = document.paths?.['/api-public/payments']?.post;
  if (!creation) return;
  creation.callbacks = Object.fromEntries(
    Object.entries(webhooks).map(([event, item]) => [event, { '{$request.body#/webhookUrl}': item }]),
  );
}
