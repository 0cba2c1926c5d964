import { jsFetch } from '@scalar/snippetz/plugins/js/fetch';
import { phpCurl } from '@scalar/snippetz/plugins/php/curl';
import { pythonRequests } from '@scalar/snippetz/plugins/python/requests';
import { shellCurl } from '@scalar/snippetz/plugins/shell/curl';
import { urlOf, type Values } from './url.ts';

/** A request to show. */
export type SampleRequest = Values & {
  method: string;
  /** The address in front of the path. */
  base: string;
  path: string;
  headers: Record<string, string>;
  /** JSON as it is sent. */
  body?: string | undefined;
};

type Plugin = typeof shellCurl;
type Wrap = (call: string) => string;
type SampleLanguage = {
  id: string;
  title: string;
  /** The language’s name for the highlighter. */
  colours: string;
  plugin: Plugin;
  /** Makes a complete program of a call. */
  program: Wrap;
  /** Escapes a header’s value, where the plugin does not. */
  header?: Wrap;
};

/** The languages of samples, in the order of the menu. */
export const sampleLanguages: SampleLanguage[] = [
  { id: 'curl', title: 'curl', colours: 'bash', plugin: shellCurl, program: (call) => call },
  {
    id: 'javascript',
    title: 'JavaScript',
    colours: 'typescript',
    plugin: jsFetch,
    program: (call) =>
      `const response = await ${call};\nconsole.log(response.status, await response.text());`,
  },
  {
    id: 'python',
    title: 'Python',
    colours: 'python',
    plugin: pythonRequests,
    program: (call) => `import requests\n\nresponse = ${call}\nprint(response.status_code, response.text)`,
  },
  {
    id: 'php',
    title: 'PHP',
    colours: 'php',
    plugin: phpCurl,
    program: (call) => `<?php\n\n${call}`,
    header: (value) => value.replace(/[\\']/g, '\\$&'),
  },
];

/** @returns a program that sends the request */
export function sampleOf({ plugin, program, header }: SampleLanguage, request: SampleRequest): string {
  const { method, base, path, headers, body } = request;
  const call = plugin.generate({
    method: method.toUpperCase(),
    url: base + urlOf(path, request),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value: header?.(value) ?? value })),
    ...(body !== undefined && { postData: { mimeType: 'application/json', text: body } }),
  });
  return program(call);
}
