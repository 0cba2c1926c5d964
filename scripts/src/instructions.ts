import type { Ports } from './start-settings.ts';

export type Running = {
  ports: Ports;
  token: string;
  adminKey: string;
  /** The folder of the full logs. */
  logs: string;
  /** The place of the state: `PostgreSQL and NATS from …`. */
  state: string;
};

/** @returns the text of `npm start` when the system runs */
export function instructions(running: Running): string {
  const { ports, adminKey } = running;
  const at = (port: number | undefined) => `http://localhost:${port}`;
  const simulator = ports.SIMULATOR_PORT !== undefined;
  return `
Public Payments Service is running. Ctrl-C stops all of it.

  API         ${at(ports.API_PORT)}   docs ${at(ports.API_PORT)}/docs
  Panel       ${at(ports.ADMIN_PORT)}   for people; sign in with ${adminKey}
  Admin       ${at(ports.ADMIN_PORT)}/admin   for programs; docs ${at(ports.ADMIN_PORT)}/docs   key ${adminKey}
  Dispatcher  ${at(ports.DISPATCHER_PORT)}   health and metrics
${simulator ? `  Bank        ${at(ports.SIMULATOR_PORT)}   simulator of the PSP and its customers\n` : ''}
  State       ${running.state}
  Logs        ${running.logs}; warnings and errors also appear here

Charge a customer of the demo store: paste into another terminal. Or watch it all happen: npm run demo

${flow(running)}
`;
}

/** @returns shell lines to paste, one after the other */
function flow({ ports, token }: Running): string {
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
    '# show it; list the store’s payments',
    `${read}; echo`,
    `curl -s "${payments}?limit=5" ${authorized}; echo`,
  ];
  const pay = [
    '# pay it as the customer would, and read it until the bank’s confirmation is in',
    `curl -s http://localhost:${ports.SIMULATOR_PORT}/bank/pay ${json} -d "{\\"pixCopiaECola\\": \\"$code\\"}"; echo`,
    `until ${read} | grep '"status":"approved"'; do sleep 0.5; done`,
  ];
  return [...create, ...(ports.SIMULATOR_PORT === undefined ? [] : pay)]
    .map((line) => `  ${line}`)
    .join('\n');
}
