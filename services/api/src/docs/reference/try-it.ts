import { html, type SafeHtml } from '../../pages/html.ts';
import {
  examplesOf,
  type Located,
  type OpenApiDocument,
  type Parameter,
  resolve,
  type Schema,
  type View,
} from '../document.ts';
import { code } from '../markdown.ts';

/** @returns a request as a program, and a form that sends it from the page (`docs/page/`) */
export function tryIt({ document, words }: View, located: Located, parameters: Parameter[]): SafeHtml {
  const { method, path, operation } = located;
  const id = operation.operationId;
  const example = bodyExample(document, located);
  const body = example === undefined ? undefined : JSON.stringify(example, undefined, 2);
  const inputs = parameters.map((parameter) => input(document, id, parameter));
  return html`<h4>${words.request}</h4>
${code(curl(document, located, example), 'bash')}
<form class="try-it" data-method="${method}" data-path="${path}"${needsToken(operation) && html` data-token`} aria-label="${words.tryOperation} ${operation.summary ?? id}" hidden>
  ${inputs}
  ${body !== undefined && html`<label for="${id}-body">${words.body}</label><textarea id="${id}-body" name="body" rows="${Math.min(14, body.split('\n').length)}" spellcheck="false">${body}</textarea>`}
  <button type="submit">${words.tryIt}</button>
  <output aria-live="polite"></output>
</form>`;
}

/** @returns the first example of an operation's body, or undefined without a body */
export function bodyExample(document: OpenApiDocument, { operation: { requestBody } }: Located): unknown {
  if (!requestBody) return undefined;
  const media = Object.values(resolve(document, requestBody).content)[0] ?? {};
  const given = examplesOf(document, media)[0];
  return given ? given.value : made(document, media.schema ?? {});
}

const needsToken = ({ security = [] }: Located['operation']) => security.length > 0;

function input(document: OpenApiDocument, operationId: string, parameter: Parameter): SafeHtml {
  const { name, required, schema = {} } = parameter;
  const id = `${operationId}-${name}`;
  const attributes = html`id="${id}" name="${name}" data-in="${parameter.in}"`;
  const whole = resolve(document, schema);
  const values = whole.enum ?? (whole.anyOf ?? []).filter((one) => 'const' in one).map((one) => one.const);
  const control =
    values.length > 0
      ? html`<select ${attributes}><option></option>${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
      : html`<input ${attributes} type="text" autocomplete="off" spellcheck="false"${required && html` required`}${whole.default !== undefined && html` placeholder="${String(whole.default)}"`}>`;
  return html`<label for="${id}">${name}</label>${control}`;
}

/** The page's script replaces it: by the chosen language, with what is filled into the form. */
function curl(document: OpenApiDocument, { method, path, operation }: Located, example: unknown): string {
  const base = (document.servers?.[0]?.url ?? '').replace(/\/$/, '');
  // The admin document does not reveal the admin address.
  // With a body, curl defaults to POST.
  const flag =
    method === 'get' || (method === 'post' && example !== undefined) ? '' : `-X ${method.toUpperCase()} `;
  const lines = [`curl ${flag}"${base || '$ADMIN_URL'}${path}"`];
  if (needsToken(operation)) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (example !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

/** Makes a minimal body with the required fields, for a schema without examples. */
function made(document: OpenApiDocument, schema: Schema): unknown {
  const whole = resolve(document, schema);
  const given = whole.examples?.[0] ?? whole.default ?? whole.const ?? whole.enum?.[0];
  if (given !== undefined) return given;
  const variant = (whole.anyOf ?? whole.oneOf)?.[0];
  if (variant) return made(document, variant);
  const type = [whole.type ?? 'object'].flat()[0];
  if (type === 'object') {
    const required = Object.entries(whole.properties ?? {}).filter(([name]) =>
      whole.required?.includes(name),
    );
    return Object.fromEntries(required.map(([name, property]) => [name, made(document, property)]));
  }
  return (
    { string: 'string', number: whole.minimum ?? 0, integer: whole.minimum ?? 0, boolean: true, array: [] }[
      type ?? ''
    ] ?? null
  );
}
