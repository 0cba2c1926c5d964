/** The parts of a schema that the promise of compatibility speaks of. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
} & Record<string, unknown>;

/** A schema that programs send is `taken`: it may become wider. One that they get is `given`: it may become narrower. */
export type Direction = 'taken' | 'given';

type Documents = { before: unknown; after: unknown };

/** @returns how a schema breaks what a program relies on, a line each, beginning with its place */
export function schemaBreaks(
  documents: Documents,
  direction: Direction,
  place: string,
  old: Schema,
  now: Schema,
  seen: readonly string[] = [],
): string[] {
  const pair = `${old.$ref ?? ''} ${now.$ref ?? ''}`;
  if (pair !== ' ' && seen.includes(pair)) return [];
  const inside = [...seen, pair];
  const before = whole(documents.before, old);
  const after = whole(documents.after, now);
  const deeper = (name: string, one: Schema, other: Schema) =>
    schemaBreaks(documents, direction, name, one, other, inside);
  return [
    ...ofValues(direction, place, before, after),
    ...(direction === 'taken' ? ofLimits(place, before, after) : []),
    ...ofFields(direction, place, before, after, deeper),
    ...(before.items && after.items ? deeper(`${place}[]`, before.items, after.items) : []),
    ...ofVariants(direction, place, before, after, deeper),
  ];
}

/** Puts together what a schema is made of. */
function whole(document: unknown, schema: Schema): Schema {
  const found = resolved<Schema>(document, schema);
  if (!found.allOf) return found;
  const parts = found.allOf.map((part) => whole(document, part));
  return {
    ...found,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function ofValues(direction: Direction, place: string, before: Schema, after: Schema): string[] {
  const [types, otherTypes] = [typesOf(before), typesOf(after)];
  // The wider one must have all that the narrower one has.
  const [narrow, wide] = direction === 'taken' ? [types, otherTypes] : [otherTypes, types];
  const isOtherType =
    types.length > 0 && (otherTypes.length === 0 || narrow.some((one) => !wide.includes(one)));
  const isOtherFormat =
    before.format !== after.format && (direction === 'given' || after.format !== undefined);
  return [
    ...(isOtherType ? [`${place}: type ${types.join(' or ')} is ${otherTypes.join(' or ')}`] : []),
    ...(isOtherFormat ? [`${place}: format ${before.format} is ${after.format}`] : []),
    ...ofLists(direction, place, before, after),
  ];
}

/** An integer is a number, too. */
function typesOf({ type }: Schema): string[] {
  const types = [type ?? []].flat();
  return types.includes('number') ? [...types, 'integer'] : types;
}

function ofLists(direction: Direction, place: string, before: Schema, after: Schema): string[] {
  const lost = (name: string) => {
    const [old, now] = [before[name], after[name]] as (unknown[] | undefined)[];
    return (old ?? [])
      .filter((value) => now && !now.includes(value))
      .map((value) => `${place}: ${value} is gone`);
  };
  const closed = (old?: unknown[], now?: unknown[]) =>
    (now ?? [])
      .filter((value) => !old?.includes(value))
      .map((value) => `${place}: ${value} is new in a closed list`);
  if (direction === 'taken') {
    const isNew = after.enum && !before.enum ? [`${place}: a list limits it now`] : [];
    return [...lost('enum'), ...isNew];
  }
  const opened = before.enum && !after.enum ? [`${place}: its closed list is open`] : [];
  return [...lost('x-extensible-enum'), ...opened, ...(before.enum ? closed(before.enum, after.enum) : [])];
}

const most = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];
const least = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];

function ofLimits(place: string, before: Schema, after: Schema): string[] {
  const isNarrower = (name: string) => {
    const [old, now] = [before[name], after[name]] as (number | undefined)[];
    if (now === undefined || old === now) return false;
    return old === undefined || (most.includes(name) ? now < old : now > old);
  };
  const narrower = [...most, ...least].filter(isNarrower);
  const isOtherPattern = after.pattern !== undefined && after.pattern !== before.pattern;
  return [
    ...narrower.map((name) => `${place}: ${name} is ${after[name]}`),
    ...(isOtherPattern ? [`${place}: its pattern is another`] : []),
  ];
}

type Deeper = (place: string, old: Schema, now: Schema) => string[];

function ofFields(
  direction: Direction,
  place: string,
  before: Schema,
  after: Schema,
  deeper: Deeper,
): string[] {
  const fields = Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
    const other = after.properties?.[name];
    return other ? deeper(`${place}.${name}`, field, other) : [`${place}.${name} is gone`];
  });
  const [old = [], now = []] = [before.required, after.required];
  const required =
    direction === 'taken'
      ? now.filter((name) => !old.includes(name)).map((name) => `${place}.${name} is required now`)
      : old.filter((name) => !now.includes(name)).map((name) => `${place}.${name} may be absent now`);
  return [...fields, ...required];
}

/** Variants are compared in their order; what is sent may have more of them, what is got fewer. */
function ofVariants(
  direction: Direction,
  place: string,
  before: Schema,
  after: Schema,
  deeper: Deeper,
): string[] {
  const variants = ({ anyOf, oneOf }: Schema) => anyOf ?? oneOf ?? [];
  const [old, now] = [variants(before), variants(after)];
  if (old.length === 0 && now.length === 0) return [];
  const isOther = direction === 'taken' ? now.length < old.length : now.length > old.length;
  return [
    ...(isOther ? [`${place}: it has ${now.length} forms, and had ${old.length}`] : []),
    ...old.flatMap((one, index) => (now[index] ? deeper(place, one, now[index]) : [])),
  ];
}

/** @returns the target of a reference, or the value itself if it is not a reference */
export function resolved<T>(document: unknown, value: unknown): T {
  const { $ref } = (value ?? {}) as { $ref?: string };
  if (typeof $ref !== 'string') return (value ?? {}) as T;
  const parts = $ref.replace(/^#\//, '').split('/');
  const target = parts.reduce(
    (node: unknown, part) => (node as Record<string, unknown> | undefined)?.[part],
    document,
  );
  return resolved<T>(document, target);
}
