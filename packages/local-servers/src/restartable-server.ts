import { type OwnServer, reasonOf } from './backing-server.ts';
import { freePort } from './free-port.ts';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts';

export type RestartableServer = {
  commandOn: (port: number) => ServerCommand;
  urlOn: (port: number) => string;
  stopSignal: NodeJS.Signals;
  /** Matches the failure of a start whose port is in use. */
  portTaken: RegExp;
  /** Called when it ends by itself, with `SIGKILL: <log line>`. */
  onExit?: ((line: string) => void) | undefined;
  launch?: (command: ServerCommand) => Promise<ServerProcess>;
};

/** Starts a server on a free port, which it keeps over stops, kills and starts. */
export async function startRestartable(server: RestartableServer): Promise<OwnServer> {
  const launch = server.launch ?? startServerProcess;
  const first = await onFreePort(server, launch);
  let running = first.running;
  let asked = false;
  const watch = () =>
    void running.exited.then(({ how, line }) => asked || server.onExit?.(`${how}: ${line}`));
  const end = (signal: NodeJS.Signals) => {
    asked = true;
    return running.end(signal);
  };
  watch();
  return {
    url: server.urlOn(first.port),
    stop: () => end(server.stopSignal),
    kill: () => end('SIGKILL'),
    pid: () => running.pid,
    end,
    start: async () => {
      running = await launch(server.commandOn(first.port));
      asked = false;
      watch();
    },
  };
}

/** Another process may bind the port before the server does. */
async function onFreePort(
  server: RestartableServer,
  launch: (command: ServerCommand) => Promise<ServerProcess>,
) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { port, running: await launch(server.commandOn(port)) };
    } catch (error) {
      if (attempt === 3 || !server.portTaken.test(reasonOf(error))) throw error;
    }
  }
}
