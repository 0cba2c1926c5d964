/** One field of an EMV code: two digits of id, two of length, then the value. */
export type Field = { id: string; value: string };

/** Throws a RangeError when the value is longer than two digits can say. */
export function writeField(id: string, value: string): string {
  if (value.length > 99) throw new RangeError(`field ${id} of a BR Code holds at most 99 characters`);
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** The fields of a text, in their order; null when the text is not such a list to its last character. */
export function readFields(text: string): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  while (at < text.length) {
    const head = /^(\d{2})(\d{2})$/.exec(text.slice(at, at + 4));
    if (!head?.[1]) return null;
    const end = at + 4 + Number(head[2]);
    if (end > text.length) return null;
    fields.push({ id: head[1], value: text.slice(at + 4, end) });
    at = end;
  }
  return fields;
}
