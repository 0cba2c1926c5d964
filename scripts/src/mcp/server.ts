import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { root } from '../repository.ts';
import type { Docs } from './docs.ts';
import { actOn, failure, type Laptop, text } from './laptop.ts';

const instructions = `Docs of the Public Payments Service, which charges customers by Pix. Search the guide before you write
code, and look an operation up before you call it. Deliver only when a payment’s status is approved. The tools that
create and pay act on npm start on this machine alone, with a simulated bank: no real money moves.`;

const longestText = 4_000;

/**
 * @param findLaptop finds the running `npm start` at each call; undefined where nothing may act
 * @returns the server: what reads the docs, and where there is a laptop, what acts on it
 */
export function docsServer(docs: Docs, findLaptop: (() => Promise<Laptop>) | undefined): McpServer {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const server = new McpServer({ name: 'public-payments', version }, { instructions });
  const reading = { readOnlyHint: true, openWorldHint: false };
  server.registerTool(
    'search_docs',
    {
      title: 'Search the docs',
      description: 'Finds sections of the guide and operations, with their text and programs.',
      inputSchema: {
        query: z.string().min(1).max(200).describe('Words to look for, such as: verify webhook signature'),
        language: z.enum(['en', 'pt-BR']).default('en'),
        limit: z.number().int().min(1).max(10).default(3),
      },
      annotations: reading,
    },
    async ({ query, language, limit }) => {
      const found = docs.search(query, language, limit);
      const sections = found.map(
        ({ title, address, text: whole }) => `## ${title}\n${address}\n\n${whole.slice(0, longestText)}`,
      );
      return text(sections.join('\n\n') || 'Nothing found.');
    },
  );
  server.registerTool(
    'show_operation',
    {
      title: 'Show an operation',
      description:
        'An operation or webhook: parameters, body, answers, errors by code, and the objects in it.',
      inputSchema: {
        operation: z
          .string()
          .max(200)
          .describe('Such as createPayment, POST /api-public/payments or payment.created'),
      },
      annotations: reading,
    },
    async ({ operation }) => {
      const shown = docs.operation(operation);
      return shown
        ? text(shown)
        : failure(`There is no ${operation}. There are:\n${docs.operations.join('\n')}`);
    },
  );
  if (findLaptop) actOn(server, findLaptop);
  return server;
}
