import type { SelectType } from 'kysely';
import type { Schema } from '../src/schema.ts';

type IsNullable<T> = null extends T ? true : false;
type Kind<T> = T extends string
  ? 'text' | 'uuid' | 'date'
  : T extends number
    ? 'integer' | 'bigint'
    : T extends boolean
      ? 'boolean'
      : T extends Date
        ? 'timestamptz'
        : T extends Buffer
          ? 'bytea'
          : T extends string[]
            ? 'ARRAY'
            : 'json' | 'jsonb';
type HasDefault<C> = C extends { readonly __insert__: infer I }
  ? undefined extends I
    ? true
    : false
  : false;
type Suffix<C> =
  HasDefault<C> extends true ? ' default' : IsNullable<SelectType<C>> extends true ? ' null' : '';

/** A column's type in PostgreSQL. */
type Column<C> = `${Kind<NonNullable<SelectType<C>>>}${Suffix<C>}`;

/** The columns of a database with this schema. */
export type Tables = {
  [Table in keyof Schema]: { [Name in keyof Schema[Table]]: Column<Schema[Table][Name]> };
};
