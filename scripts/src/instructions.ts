import type { DemoAccounts } from './demo-accounts.ts';
import type { SimulatedBank } from './simulated-banks.ts';
import { type Ports, panelUrlOf } from './start-settings.ts';

export type Running = {
  ports: Ports;
  /** Several simulated banks; none for the one at SIMULATOR_PORT. */
  banks: readonly SimulatedBank[];
  otherBanks: string | undefined;
  token: string;
  adminKey: string;
  accounts: DemoAccounts;
  /** The folder of the full logs. */
  logs: string;
  /** The place of the state: `PostgreSQL and NATS from …`. */
  state: string;
};

/** @returns the text of `npm start` when the system runs */
export function instructions(running: Running): string {
  const { ports, adminKey, accounts } = running;
  const at = (port: number | undefined) => `http://localhost:${port}`;
  return `
Public Payments Service is running. Ctrl-C stops all of it.

  API         ${at(ports.API_PORT)}   docs ${at(ports.API_PORT)}/docs, in Portuguese /docs/pt
  Panel       ${panelUrlOf(ports)}   for people: one account of each role
${accounts.emails.map((email) => `              ${email.padEnd(24)} password ${accounts.password}`).join('\n')}
  Admin       ${at(ports.ADMIN_PORT)}/admin   for programs; docs ${at(ports.ADMIN_PORT)}/docs   key ${adminKey}
  Dispatcher  ${at(ports.DISPATCHER_PORT)}   health and metrics
${bankAddresses(running)}${mailboxAddress(ports)}
  State       ${running.state}
  Logs        ${running.logs}; warnings and errors also appear here
${failover(running)}
Charge a customer of the demo store: paste into another terminal. Or watch it all happen: npm run demo

${flow(running)}
`;
}

function bankAddresses({ ports, banks }: Running): string {
  const line = (name: string, port: number, what: string) =>
    `  ${name.padEnd(11)} http://localhost:${port}   ${what}\n`;
  if (banks.length > 0)
    return banks
      .map(({ id, port }) => line(`Bank ${id}`, port, 'simulator of it and its customers'))
      .join('');
  const { SIMULATOR_PORT: port } = ports;
  return port === undefined ? '' : line('Bank', port, 'simulator of the PSP and its customers');
}

function mailboxAddress({ MAILBOX_PORT: port }: Ports): string {
  return port === undefined ? '' : `  Mailbox     http://localhost:${port}   the mails that people get\n`;
}

/** @returns what to paste to see a bank fail; nothing with one bank */
function failover({ ports, banks, adminKey }: Running): string {
  const [first, next] = banks;
  if (!first || !next) return '';
  const faults = `http://localhost:${first.port}/bank/faults`;
  return `
New charges go to ${first.id}. Make it fail, and they go to ${next.id}; the panel's page Bancos shows it. End that, and sales come back:

  curl -s ${faults} -H 'Content-Type: application/json' -d '{"hang": true}'; echo
  curl -s http://localhost:${ports.ADMIN_PORT}/admin/banks -H "Authorization: Bearer ${adminKey}"; echo
  curl -s -X DELETE ${faults}; echo
`;
}

/** @returns shell lines to paste, one after the other */
function flow({ ports, banks, otherBanks, token }: Running): string {
  const payments = `http://localhost:${ports.API_PORT}/api-public/payments`;
  const authorized = `-H "Authorization: Bearer $token"`;
  const json = `-H 'Content-Type: application/json'`;
  const read = `curl -s ${payments}/$id ${authorized}`;
  const create = [
    '# create a payment, and keep its id and its Pix code',
    `token=${token}`,
    `payment=$(curl -s ${payments} ${authorized} ${json} -d '{"amount": 19.90, "observation": "Pedido 42"}'); echo "$payment"`,
    `id=$(echo "$payment" | sed -E 's/.*"id":"([^"]+)".*/\\1/')`,
    `code=$(echo "$payment" | sed -E 's/.*"qrCopyPaste":"([^"]+)".*/\\1/')`,
    `# show it (customers see it at http://localhost:${ports.API_PORT}/pay/ and its id); list the store’s payments`,
    `${read}; echo`,
    `curl -s "${payments}?limit=5" ${authorized}; echo`,
  ];
  const bankPorts = banks.length > 0 ? banks.map(({ port }) => port) : [ports.SIMULATOR_PORT];
  // A bank refuses the code of another.
  const payAt = (port: number | undefined) =>
    `curl -${banks.length > 1 ? 'sf' : 's'} http://localhost:${port}/bank/pay ${json} -d "{\\"pixCopiaECola\\": \\"$code\\"}"`;
  const pay = [
    '# pay it as the customer would, and read it until the bank’s confirmation is in',
    `${bankPorts.map(payAt).join(' || ')}; echo`,
    `until ${read} | grep '"status":"approved"'; do sleep 0.5; done`,
  ];
  return [...create, ...(otherBanks ? [] : pay)].map((line) => `  ${line}`).join('\n');
}
