import type { TObject, TSchema } from '@sinclair/typebox';
import { literals } from '../schema-validation.ts';
import { type Conditions, field } from './condition.ts';
import { type FieldRule, rules } from './field-rules.ts';

/** What a field may break: the end of the condition's name, the rule, and the words of the documents. */
type Breach = [name: string, rule: FieldRule, says: string];

/**
 * @param body the schema of a request's body
 * @returns the errors that its fields can cause. Documents and validation follow from one schema, so they can't disagree
 */
export function conditionsOf({ properties, required = [] }: TObject): Conditions {
  const conditions: Conditions = {
    bodyNotAnObject: field('body', rules.object, 'The body is not a JSON object.'),
  };
  for (const [name, property] of Object.entries(properties)) {
    const missing = required.includes(name) ? 'is missing or ' : '';
    for (const [end, rule, says] of breachesOf(withoutNull(property), missing))
      conditions[`${name}${end}`] = field(name, rule, `\`${name}\` ${says}.`);
  }
  return conditions;
}

/** An optional field is a union of its schema and null. */
function withoutNull(schema: TSchema): TSchema {
  const variants: TSchema[] = schema.anyOf ?? [];
  const isOptional = variants.some(({ type }) => type === 'null');
  return (isOptional ? variants.find(({ type }) => type !== 'null') : undefined) ?? schema;
}

function breachesOf(schema: TSchema, missing: string): Breach[] {
  const values: string[] = schema.enum ?? literals(schema);
  if (values.length > 0) return [['Unknown', rules.oneOf(values), 'is none of the values of the schema']];
  switch (schema.type) {
    case 'string':
      return breachesOfText(schema, missing);
    case 'number':
      return breachesOfNumber(schema, missing);
    case 'boolean':
      return [['NotABoolean', rules.boolean, `${missing}is neither true nor false`]];
    case 'array':
      return [['NotAnArray', rules.array, `${missing}is not a list`]];
    default:
      return [];
  }
}

function breachesOfText({ minLength, maxLength }: TSchema, missing: string): Breach[] {
  const breaches: Breach[] = [['NotAString', rules.string, `${missing}is not a string`]];
  if (minLength === 1) breaches.push(['TooShort', rules.longEnough(1), 'is empty']);
  if (maxLength === undefined) return breaches;
  breaches.push(['TooLong', rules.shortEnough(maxLength), `is longer than ${maxLength} characters`]);
  // Free text is read by `readText`.
  breaches.push(['NullCharacter', rules.noNull, 'contains U+0000']);
  return breaches;
}

function breachesOfNumber({ minimum, maximum }: TSchema, missing: string): Breach[] {
  const breaches: Breach[] = [['NotANumber', rules.number, `${missing}is not a number`]];
  if (minimum !== undefined)
    breaches.push([
      'TooLow',
      rules.atLeast(minimum),
      minimum === 0 ? 'is negative' : `is less than ${minimum}`,
    ]);
  if (maximum !== undefined) breaches.push(['TooHigh', rules.atMost(maximum), `is more than ${maximum}`]);
  return breaches;
}
