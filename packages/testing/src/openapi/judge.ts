import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { examplesOf, type Header, type Response } from '@payments/api/docs/document';
import { type FoundOperation, type Listener, openApiDocument, step } from './document.ts';

export type SeenAnswer = {
  listener: Listener;
  method: string;
  /** The path with its query. */
  path: string;
  status: number;
  headers: OutgoingHttpHeaders;
  body: string;
};

/** @returns how a response departs from its listener's document; empty if it is documented */
export function answerFailures(answer: SeenAnswer): string[] {
  const path = answer.path.split('?')[0] ?? '';
  const found = openApiDocument(answer.listener).find(answer.method, path);
  const failures = found ? documentedFailures(answer, found) : undocumentedFailures(answer, path);
  return failures.map((failure) => `${answer.method} ${path} answered ${answer.status}: ${failure}`);
}

function documentedFailures(answer: SeenAnswer, { operation, pointer }: FoundOperation): string[] {
  const { resolve } = openApiDocument(answer.listener);
  const documented = operation.responses?.[answer.status];
  if (!documented) return ['the status is not documented'];
  const place = `${pointer}/responses/${answer.status}`;
  const [response, where] = resolve<Response>(documented, place);
  return [
    ...headerFailures(answer, response, where),
    ...contentFailures(answer, response, where),
    ...codeFailures(answer, response),
  ];
}

/** A header that is documented comes with every response, unless its own words are that it may be absent. */
function headerFailures(answer: SeenAnswer, { headers = {} }: Response, where: string): string[] {
  const { resolve } = openApiDocument(answer.listener);
  return Object.entries(headers)
    .filter(([name]) => answer.headers[name.toLowerCase()] === undefined)
    .filter(([name, header]) => {
      const [{ required }] = resolve<Header>(header, `${where}/headers${step(name)}`);
      return required !== false;
    })
    .map(([name]) => `no ${name} header`);
}

/** An error's name is that of one of the examples, by which programs know what to expect. */
function codeFailures({ listener, status, headers }: SeenAnswer, { content = {} }: Response): string[] {
  const { raw } = openApiDocument(listener);
  const code = headers['error-code'];
  const examples = Object.values(content).flatMap((media) => examplesOf(raw, media));
  const isTold = status < 400 || examples.some(({ 'x-error-code': one }) => one === code);
  return isTold ? [] : [`no example of the error ${code}`];
}

function contentFailures(answer: SeenAnswer, response: Response, where: string): string[] {
  if (answer.method === 'HEAD') return answer.body === '' ? [] : ['a body for HEAD'];
  const type = typeOf(answer);
  if (!response.content) return answer.body === '' ? [] : ['a body where none is documented'];
  if (!response.content[type])
    return [`content type ${type || 'missing'}, documented: ${Object.keys(response.content)}`];
  if (type !== 'application/json') return [];
  const pointer = `${where}/content${step(type)}/schema`;
  return openApiDocument(answer.listener).failures(pointer, JSON.parse(answer.body));
}

/** Judges a response outside the documents: pages, metrics, the PSP's callback, or an error. */
function undocumentedFailures(answer: SeenAnswer, path: string): string[] {
  const pages = answer.listener === 'admin' ? /^\/panel(\/|$)/ : /^\/pay(\/|$)/;
  if (pages.test(path)) return [];
  const isJson = typeOf(answer) === 'application/json';
  if (answer.status < 400)
    return isJson && !path.startsWith('/docs/') ? ['the operation is not documented'] : [];
  if (answer.method === 'HEAD') return [];
  if (!isJson) return ['an error that is not JSON'];
  return openApiDocument(answer.listener).failures('/components/schemas/Error', JSON.parse(answer.body));
}

function typeOf({ headers }: Pick<SeenAnswer, 'headers'>): string {
  return String(headers['content-type'] ?? '').split(';')[0] ?? '';
}

/** @returns how a webhook departs from the public document */
export function webhookFailures(headers: IncomingHttpHeaders, body: string): string[] {
  const { raw, failures } = openApiDocument('public');
  const payload = JSON.parse(body) as { event: string };
  const webhook = raw.webhooks?.[payload.event];
  const post = webhook && 'post' in webhook ? webhook.post : undefined;
  if (!post) return [`the event ${payload.event} is not documented`];
  const pointer = `/webhooks${step(payload.event)}/post`;
  const missing = (post.parameters ?? []).flatMap((parameter, index) =>
    'name' in parameter
      ? failures(`${pointer}/parameters/${index}/schema`, headers[parameter.name]).map(
          (f) => `${parameter.name}${f}`,
        )
      : [],
  );
  const type = typeOf({ headers });
  if (type !== 'application/json') missing.push(`content type ${type}`);
  const schema = `${pointer}/requestBody/content${step('application/json')}/schema`;
  return [...missing, ...failures(schema, payload)];
}
