type Json = unknown;
type Node = Record<string, Json>;

// The values of these keys are data rather than schemas.
const data = new Set(['example', 'examples', 'enum', 'const', 'default']);

/**
 * Closes every object of the document. The document allows unnamed fields, so that clients accept new ones. Our own
 * responses must have no others.
 * @param openId id that refers to the unchanged document
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
  // A list that may grow has grown only as far as it says.
  const listed = node['x-extensible-enum'];
  if (listed !== undefined) return { ...copy, enum: listed };
  const isObject = isNode(node.properties) && !('in' in node);
  return isObject || 'allOf' in node ? { ...copy, unevaluatedProperties: false } : copy;
}

/** A part of an `allOf` stays open: only the whole can forbid other fields. */
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
