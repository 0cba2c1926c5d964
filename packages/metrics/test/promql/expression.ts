import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A node of an expression, with its text. */
export type Node = { kind: string; text: string; children: Node[] };

/** @throws Error if Prometheus' own grammar refuses the expression */
export function parse(expression: string): Node {
  const tree = parser.parse(expression);
  const read = (node: SyntaxNode): Node => {
    if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`);
    const children: Node[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) children.push(read(child));
    return { kind: node.name, text: expression.slice(node.from, node.to), children };
  };
  const [top] = read(tree.topNode).children;
  if (!top) throw new Error(`not PromQL: ${expression}`);
  return top;
}

export type Matcher = { label: string; operator: string; value: string };
export type Selector = { name: string; matchers: Matcher[] };

/** @returns every selector of an expression, and every label that it groups or matches by */
export function usesOf(node: Node): { selectors: Selector[]; labels: string[] } {
  const below = node.children.map(usesOf);
  const selectors = below.flatMap((one) => one.selectors);
  const labels = below.flatMap((one) => one.labels);
  if (node.kind === 'VectorSelector') selectors.push(selectorOf(node));
  if (node.kind === 'GroupingLabels') labels.push(...labelsIn(node));
  return { selectors, labels };
}

/** @param node a VectorSelector */
export function selectorOf(node: Node): Selector {
  const name = only(node, 'Identifier').text;
  const matchers = (find(node, 'LabelMatchers')?.children ?? []).map((matcher) => ({
    label: only(matcher, 'LabelName').text,
    operator: only(matcher, 'MatchOp').text,
    value: JSON.parse(only(matcher, 'StringLiteral').text) as string,
  }));
  return { name, matchers };
}

/** @param node GroupingLabels */
export function labelsIn(node: Node): string[] {
  return node.children.map(({ text }) => text);
}

export function find(node: Node, kind: string): Node | undefined {
  return node.children.find((child) => child.kind === kind);
}

export function only(node: Node, kind: string): Node {
  const found = find(node, kind);
  if (!found) throw new Error(`no ${kind} in ${node.text}`);
  return found;
}
