import { promisify } from 'node:util';
import { convertV2 } from 'openapi-to-postmanv2';

const options = {
  folderStrategy: 'Tags',
  requestNameSource: 'Fallback',
  parametersResolution: 'Example',
};

type Conversion = { result: boolean; reason?: string; output?: { data: object }[] };

/** @returns a Postman collection of an OpenAPI document's requests, the same at every call */
export async function postmanCollection(document: object): Promise<object> {
  const data = structuredClone(document);
  const convert = promisify(convertV2) as (input: object, options: object) => Promise<Conversion>;
  const { result, reason, output } = await convert({ type: 'json', data }, options);
  if (!result || !output?.[0]) throw new Error(`the document makes no Postman collection: ${reason}`);
  return JSON.parse(JSON.stringify(output[0].data, withoutRandom));
}

/**
 * Drops ids, which Postman makes anew at the import, and the responses, which the reference has. Optional parameters are
 * turned off, without the values that the converter made up.
 */
function withoutRandom(key: string, value: unknown): unknown {
  if (key === 'response') return [];
  if (key === 'id' || key === '_postman_id') return undefined;
  return isOptional(value) ? { ...value, disabled: true, value: '' } : value;
}

function isOptional(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || !('disabled' in value)) return false;
  const { description } = value as { description?: { content?: string } };
  return !description?.content?.startsWith('(Required)');
}
