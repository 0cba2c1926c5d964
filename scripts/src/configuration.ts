import { apiSettings } from '@payments/api/settings';
import { dispatcherSettings } from '@payments/dispatcher/settings';

type Setting = {
  type?: string;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  anyOf?: { const: string }[];
};

type Schema = { properties: Record<string, Setting>; required?: string[] };

const services: Record<string, Schema> = { api: apiSettings, dispatcher: dispatcherSettings };

/** @returns a Markdown page of every setting of both services, from their schemas */
export function configurationPage(): string {
  const names = [...new Set(Object.values(services).flatMap(({ properties }) => Object.keys(properties)))];
  const rows = names.sort().map(row);
  return `# Configuration

These are all environment variables of the two services. \`npm run settings\` writes this page from their schemas. A missing or wrong value stops the start with one line that names the variable. An empty variable counts as absent. Blanks around a value are no part of it; of \`SECRETS_KEY\`, its two others and \`PIX_P12_PASSWORD\` only line breaks at the end are left out. In production (\`NODE_ENV=production\`, as in the images) \`SECRETS_KEY\` is required, and PostgreSQL and NATS on other machines need TLS.

| variable | service | type | default | what it is |
|---|---|---|---|---|
${rows.join('\n')}

The migration (\`dist/migrate.js\`, \`npm run migrate\`) takes \`DATABASE_URL\`, as the role that owns the schema, \`LOG_LEVEL\`, and \`SERVICES_ROLE\`: the services' role in PostgreSQL, which gets the rights that they need ([deploying](README.md)).
`;
}

function row(name: string): string {
  const takenBy = Object.entries(services).filter(([, { properties }]) => name in properties);
  const settings = takenBy.map(([, schema]) => schema.properties[name]!);
  const isRequired = takenBy.every(([, { required = [] }]) => required.includes(name));
  const service = takenBy.length === 2 ? 'both' : takenBy[0]![0];
  const defaults = [...new Set(settings.map((one) => one.default))].map((value) => textOf(value, isRequired));
  const descriptions = [...new Set(settings.map(({ description = '' }) => description))];
  const cells = [
    `\`${name}\``,
    service,
    typeOf(settings[0]!),
    [...new Set(defaults)].join(' / '),
    descriptions.join(' / '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function textOf(value: unknown, isRequired: boolean): string {
  if (value === undefined) return isRequired ? '**required**' : 'none';
  return value === '' ? 'empty' : `\`${value}\``;
}

function typeOf({ type, anyOf, minimum, maximum, minLength, maxLength, pattern }: Setting): string {
  if (anyOf) return `one of ${anyOf.map((one) => `\`${one.const}\``).join(', ')}`;
  const parts = [type ?? 'string'];
  if (minimum !== undefined || maximum !== undefined) parts.push(rangeOf(minimum, maximum));
  if (minLength !== undefined && minLength > 1) parts.push(`at least ${minLength} characters`);
  if (maxLength !== undefined) parts.push(`at most ${maxLength} characters`);
  if (pattern !== undefined) parts.push(`\`${pattern}\``);
  return parts.join(', ');
}

function rangeOf(minimum?: number, maximum?: number): string {
  if (maximum === undefined) return `from ${minimum}`;
  return `${minimum} to ${maximum}`;
}
