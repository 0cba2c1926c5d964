import { apiPixSchemas } from '@payments/pix/api-pix';
import { Ajv } from 'ajv';

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  formats: {
    'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
    uri: /^[a-z][a-z0-9+.-]*:/i,
    int32: { type: 'number', validate: (value) => Number.isInteger(value) && Math.abs(value) < 2 ** 31 },
    int64: { type: 'number', validate: Number.isSafeInteger },
  },
});
ajv.addSchema(apiPixSchemas);

/** How a value fails a schema of the API Pix; an empty list when it respects it. */
export function failuresOf(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`api-pix#/definitions/${name}`);
  if (!validate) throw new Error(`no schema ${name}`);
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
