/** The undecoded fields of a protobuf message by number: numbers and bytes. */
export type Fields = Map<number, (bigint | Uint8Array)[]>;

/** Reads one message of the wire format (https://protobuf.dev/programming-guides/encoding/) without a schema. */
export function readFields(bytes: Uint8Array): Fields {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: Fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const readers: Record<number, () => bigint | Uint8Array> = {
    0: varint,
    1: () => view.getBigUint64(take(8).byteOffset - bytes.byteOffset, true),
    2: () => take(Number(varint())),
    5: () => BigInt(view.getUint32(take(4).byteOffset - bytes.byteOffset, true)),
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const read = readers[key & 7];
    if (!read) throw new Error(`not protobuf: wire type ${key & 7}`);
    const number = key >> 3;
    fields.set(number, [...(fields.get(number) ?? []), read()]);
  }
  return fields;
}

export function messagesIn(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).map((value) => readFields(value as Uint8Array));
}

export function textIn(fields: Fields, number: number): string {
  const [value] = fields.get(number) ?? [];
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
}

export function hexIn(fields: Fields, number: number): string {
  const [value] = fields.get(number) ?? [];
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}
