type Json = unknown;
type Node = Record<string, Json>;

// What is under these is data and no schema.
const data = new Set(['example', 'examples', 'enum', 'const', 'default']);

/**
 * The document allows fields that it does not name, so that clients go on when there are new ones. Our own answers
 * must have no others: this closes every object in it.
 * @param openId id under which the document as it is can be referred to
 */
export function closed(node: Json, openId: string): Json {
  if (Array.isArray(node)) return node.map((one) => closed(one, openId));
  if (!isNode(node)) return node;
  const copy = mapValues(node, (value, key) => {
    if (data.has(key)) return value;
    return key === 'allOf' && Array.isArray(value)
      ? value.map((part) => open(part, openId))
      : closed(value, openId);
  });
  const isObject = isNode(node.properties) && !('in' in node);
  return isObject || 'allOf' in node ? { ...copy, unevaluatedProperties: false } : copy;
}

/** A part of a whole: only the whole can say that there is nothing else. */
function open(part: Json, openId: string): Json {
  if (!isNode(part)) return part;
  if (typeof part.$ref === 'string') return { $ref: openId + part.$ref };
  return isNode(part.properties)
    ? { ...part, properties: mapValues(part.properties, (value) => closed(value, openId)) }
    : part;
}

function mapValues(node: Node, change: (value: Json, key: string) => Json): Node {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]));
}

function isNode(value: Json): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
