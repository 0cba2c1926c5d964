import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './repository.ts';

/** A regular expression in the sources, and the comment beside it that names what bounds its work. */
export type Pattern = { place: string; source: string; flags: string; bound: string | null };

/** A regular expression that is put together at run time: only its author can say what bounds it. */
export type MadePattern = { place: string; bound: string | null };

/**
 * Finds the regular expressions of a TypeScript or JavaScript file: literals, `RegExp`, texts that `match` and
 * `matchAll` take, and the `pattern` of JSON schemas.
 * @param path below the workspace's top folder
 */
export function patternsOf(path: string): { fixed: Pattern[]; made: MadePattern[] } {
  const text = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: { fixed: Pattern[]; made: MadePattern[] } = { fixed: [], made: [] };
  visit(file);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isRegularExpressionLiteral(node)) add(node, node.text);
    const given = sourceNode(node);
    if (given && ts.isStringLiteralLike(given)) add(given, `/${given.text}/u`);
    else if (given && !ts.isRegularExpressionLiteral(given)) found.made.push(at(given));
    ts.forEachChild(node, visit);
  }

  function add(node: ts.Node, literal: string): void {
    const end = literal.lastIndexOf('/');
    found.fixed.push({ ...at(node), source: literal.slice(1, end), flags: literal.slice(end + 1) });
  }

  function at(node: ts.Node) {
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line;
    const lines = text.split('\n').slice(Math.max(0, line - 2), line + 1);
    const bound = /\bbounded: (.+)/.exec(lines.join('\n'))?.[1] ?? null;
    return { place: `${path}:${line + 1}`, bound };
  }
}

/** @returns what a node takes as the text of a regular expression, if it takes one */
function sourceNode(node: ts.Node): ts.Expression | undefined {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    const called = node.expression;
    if (ts.isIdentifier(called) && called.text === 'RegExp') return node.arguments?.[0];
    const [first] = node.arguments ?? [];
    const matches = ts.isPropertyAccessExpression(called) && /^match(All)?$/.test(called.name.text);
    return matches && first && ts.isStringLiteralLike(first) ? first : undefined;
  }
  const isSchema = ts.isPropertyAssignment(node) && node.name.getText() === 'pattern';
  return isSchema ? node.initializer : undefined;
}

/** Files that never meet a stranger's text: tests, and tools of those who develop and release. */
const ours =
  /\/(test|fixtures)\/|^packages\/(attack|benchmark|image-tests|release|testing)\/|^services\/api\/docs\/assets\//;

/** @returns the sources whose patterns may meet a stranger's text, by their paths in the repository */
export function filesOfPatterns(): string[] {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const files = globSync('{services,packages,scripts}/**/*.{ts,js,mjs}', { cwd: root, exclude });
  return files.filter((path) => !ours.test(path));
}
