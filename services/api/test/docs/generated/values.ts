import { anyCharacter } from '@payments/testing/any-character';
import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from '../../../src/docs/document.ts';

export type Resolve = (schema: Schema) => Schema;

const text = fc.string({
  unit: fc.oneof(fc.string({ unit: anyCharacter, maxLength: 1 }), fc.constant('\ud83c')),
});

/** Values for any field, including ones that often break programs. */
export const anything: Arbitrary<unknown> = fc.oneof(
  fc.anything({ withNullPrototype: false, withBigInt: false }),
  text,
  fc.double(),
  fc.constantFrom(null, '', 0, -1, 1e308, 4.99, 3000.01, [], {}, true, '\0', '\ud800', '__proto__', 'a@b.co'),
);

/** Characters that are valid in a header. Node refuses others. */
export const headerText: Arbitrary<string> = fc
  .string({ unit: anyCharacter })
  .map((given) => given.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));

export { text as anyText };

/** @returns values that match the schema */
export function valuesOf(schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  const own = resolve(schema);
  if (own.enum) return fc.constantFrom(...own.enum);
  if ('const' in own) return fc.constant(own.const);
  const choices = own.anyOf ?? own.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, resolve)));
  if (own.allOf) return fc.tuple(...own.allOf.map((part) => valuesOf(part, resolve))).map(merged);
  const types = [own.type ?? 'object'].flat();
  return fc.oneof(...types.map((type) => typed(type, own, resolve)));
}

/** @returns the same objects with invalid, missing or extra fields */
export function spoiltValuesOf(schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  const { properties = {} } = resolve(schema);
  const fields = Object.entries(properties).map(
    ([name, property]) => [name, fc.oneof(valuesOf(property, resolve), anything)] as const,
  );
  return fc.oneof(
    fc.record({ ...Object.fromEntries(fields), unknown: anything }, { requiredKeys: [] }),
    anything,
  );
}

function merged(parts: unknown[]): unknown {
  return Object.assign({}, ...(parts as object[]));
}

function typed(type: string, schema: Schema, resolve: Resolve): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return amounts(schema.minimum ?? 0, schema.maximum ?? 10_000);
    case 'array':
      return fc.array(valuesOf('items' in schema ? schema.items : {}, resolve), { maxLength: 5 });
    case 'string':
      return strings(schema);
    default:
      return objects(schema, resolve);
  }
}

function amounts(minimum: number, maximum: number): Arbitrary<number> {
  const cents = { min: Math.ceil(minimum * 100), max: Math.floor(maximum * 100) };
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer(cents).map((amount) => amount / 100),
  );
}

function strings({ format, pattern, minLength = 0, maxLength }: Schema): Arbitrary<string> {
  if (format === 'uuid') return fc.uuid({ version: 7 });
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl({ authoritySettings: { withPort: true } });
  const moments = fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString());
  const days = moments.map((moment) => moment.slice(0, 10));
  if (format === 'date-time') return moments;
  if (format === 'date') return days;
  // A pattern can't say which days there are.
  if (pattern?.startsWith('^\\d{4}-\\d{2}-\\d{2}')) return fc.oneof(moments, days);
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  const unit = 'grapheme-ascii' as const;
  const short = fc.string({ unit, minLength, maxLength: Math.min(maxLength ?? 40, 40) });
  if (maxLength === undefined) return short;
  return fc.oneof(
    { weight: 9, arbitrary: short },
    { weight: 1, arbitrary: fc.constant('é'.repeat(maxLength)) },
  );
}

function objects({ properties = {}, required = [] }: Schema, resolve: Resolve) {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, resolve)]);
  return fc.record(Object.fromEntries(fields) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required,
  });
}
