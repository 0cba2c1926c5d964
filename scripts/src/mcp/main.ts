import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { root } from '../repository.ts';
import { readStartSettings } from '../start-settings.ts';
import { readDocs } from './docs.ts';
import { assertNoRealMoney, findLaptop } from './laptop.ts';
import { docsServer } from './server.ts';

/**
 * `npm --silent run mcp`: the docs for an assistant, by the Model Context Protocol over standard input and output, and on
 * a laptop also the simulated bank. Standard output has the protocol alone.
 */
const settings = readStartSettings(process.env, root);
const at = (port: number) => `http://localhost:${port}`;
const { API_PORT, SIMULATOR_PORT } = settings.ports;
const docs = await readDocs(at(API_PORT), SIMULATOR_PORT === undefined ? undefined : at(SIMULATOR_PORT));
const server = docsServer(docs, mayAct() ? () => findLaptop(settings, process.env) : undefined);
await server.connect(new StdioServerTransport());

function mayAct(): boolean {
  try {
    assertNoRealMoney(process.env);
    return true;
  } catch (error) {
    console.error(`docs only: ${(error as Error).message}`);
    return false;
  }
}
