import { find, labelsIn, type Node, only, parse, selectorOf } from './expression.ts';
import { histogramQuantile, increaseOf, type Series, selectRange } from './ranges.ts';
import type { Sample, Scrape } from './samples.ts';

export type Point = { labels: Record<string, string>; value: number };
type Value = number | Point[];

/**
 * Evaluates the part of PromQL that the rules use, like Prometheus after these scrapes, without extrapolating rates.
 * @param scrapes in the order of their times; the last one is now
 * @returns what the expression selects: an alert fires for each
 * @throws Error for an unsupported expression
 */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Point[] {
  const value = valueIn(parse(expression), scrapes);
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

function valueIn(node: Node, scrapes: readonly Scrape[]): Value {
  const of = (child: Node) => valueIn(child, scrapes);
  switch (node.kind) {
    case 'NumberDurationLiteral':
      return Number(node.text);
    case 'ParenExpr':
      return of(node.children[0]!);
    case 'VectorSelector':
      return latest(node, scrapes.at(-1)!.samples);
    case 'AggregateExpr':
      return aggregate(node, vector(of(only(node, 'FunctionCallBody').children[0]!)));
    case 'FunctionCall':
      return callFunction(node, scrapes);
    case 'BinaryExpr':
      return combine(node, of);
    default:
      throw new Error(`can't evaluate ${node.kind}: ${node.text}`);
  }
}

function latest(node: Node, samples: readonly Sample[]): Point[] {
  const selector = selectorOf(node);
  return samples
    .filter((sample) => matches(selector, sample))
    .map(({ labels, value }) => ({ labels, value }));
}

/** @returns whether a selector matches a series */
export function matches({ name, matchers }: ReturnType<typeof selectorOf>, sample: Sample): boolean {
  return (
    sample.name === name &&
    matchers.every(({ label, operator, value }) => {
      const given = sample.labels[label] ?? '';
      const equal = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : given === value;
      return operator.startsWith('!') ? !equal : equal;
    })
  );
}

const aggregations: Record<string, (values: number[]) => number> = {
  sum: (values) => values.reduce((total, value) => total + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

function aggregate(node: Node, points: Point[]): Point[] {
  const how = aggregations[only(node, 'AggregateOp').text];
  if (!how) throw new Error(`can't aggregate by ${node.text}`);
  const modifier = find(node, 'AggregateModifier');
  if (modifier && !find(modifier, 'By')) throw new Error(`can't evaluate ${modifier.text}`);
  const by = modifier ? labelsIn(only(modifier, 'GroupingLabels')) : [];
  const groups = Map.groupBy(points, ({ labels }) => JSON.stringify(pick(labels, by)));
  return [...groups].map(([key, group]) => ({
    labels: JSON.parse(key),
    value: how(group.map(({ value }) => value)),
  }));
}

function callFunction(node: Node, scrapes: readonly Scrape[]): Point[] {
  const name = only(node, 'FunctionIdentifier').text;
  const given = only(node, 'FunctionCallBody').children;
  if (name === 'absent') {
    return vector(valueIn(given[0]!, scrapes)).length > 0 ? [] : [{ labels: {}, value: 1 }];
  }
  if (name === 'abs') {
    const points = vector(valueIn(given[0]!, scrapes));
    return points.map(({ labels, value }) => ({ labels, value: Math.abs(value) }));
  }
  if (name === 'label_replace') return replaceLabel(vector(valueIn(given[0]!, scrapes)), given.slice(1));
  if (name === 'histogram_quantile') {
    return histogramQuantile(Number(given[0]!.text), vector(valueIn(given[1]!, scrapes)));
  }
  if (name !== 'rate' && name !== 'increase') throw new Error(`can't evaluate ${name}`);
  return ranges(given[0]!, scrapes).map(({ labels, points }) => {
    const increase = increaseOf(points);
    const seconds = points.at(-1)!.at - points[0]!.at;
    return { labels, value: name === 'rate' ? increase / seconds : increase };
  });
}

/** @param texts the label that is set, its value without groups, the label that is read, and its pattern */
function replaceLabel(points: Point[], texts: Node[]): Point[] {
  const [set = '', value = '', read = '', pattern = ''] = texts.map(({ text }): string => JSON.parse(text));
  if (value.includes('$')) throw new Error(`can't evaluate ${value}`);
  const isMeant = new RegExp(`^(?:${pattern})$`);
  return points.map((point) =>
    isMeant.test(point.labels[read] ?? '') ? { ...point, labels: { ...point.labels, [set]: value } } : point,
  );
}

function ranges(matrix: Node, scrapes: readonly Scrape[]): Series[] {
  const selector = selectorOf(only(matrix, 'VectorSelector'));
  return selectRange(scrapes, only(matrix, 'DurationExpr').text, (sample) => matches(selector, sample));
}

const operators: Record<string, (left: number, right: number) => number | boolean> = {
  Add: (left, right) => left + right,
  Sub: (left, right) => left - right,
  Mul: (left, right) => left * right,
  Div: (left, right) => left / right,
  Gtr: (left, right) => left > right,
  Gte: (left, right) => left >= right,
  Lss: (left, right) => left < right,
  Lte: (left, right) => left <= right,
  Eql: (left, right) => left === right,
  EqlC: (left, right) => left === right,
  Neq: (left, right) => left !== right,
};

function combine(node: Node, of: (child: Node) => Value): Value {
  const [first, operator, ...rest] = node.children;
  if (rest.length !== 1) throw new Error(`can't evaluate ${node.text}`);
  const [left, right] = [of(first!), of(rest[0]!)];
  if (operator!.kind === 'And') {
    return vector(left).filter((point) => vector(right).some((other) => same(point, other)));
  }
  if (operator!.kind === 'Or') {
    return [
      ...vector(left),
      ...vector(right).filter((point) => !vector(left).some((other) => same(point, other))),
    ];
  }
  const apply = operators[operator!.kind];
  if (!apply) throw new Error(`can't evaluate ${operator!.kind}`);
  const numberOr = (point: Point, result: number | boolean): Point[] => {
    if (typeof result === 'boolean') return result ? [point] : [];
    return [{ labels: point.labels, value: result }];
  };
  if (typeof left === 'number') {
    if (typeof right !== 'number') throw new Error(`a number may not stand on the left: ${node.text}`);
    return Number(apply(left, right));
  }
  return left.flatMap((point) => {
    const other = typeof right === 'number' ? right : right.find((one) => same(point, one))?.value;
    return other === undefined ? [] : numberOr(point, apply(point.value, other));
  });
}

function vector(value: Value): Point[] {
  if (typeof value === 'number') throw new Error('a number, where series are needed');
  return value;
}

function same(one: Point, other: Point): boolean {
  const keys = Object.keys(one.labels);
  return (
    keys.length === Object.keys(other.labels).length &&
    keys.every((key) => one.labels[key] === other.labels[key])
  );
}

function pick(labels: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.filter((name) => labels[name] !== undefined).map((name) => [name, labels[name]!]),
  );
}
