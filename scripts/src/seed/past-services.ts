import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { startDispatcher } from '@payments/dispatcher/dispatcher';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { callJson } from '@payments/testing/json-client';

/** The services and the simulated banks at a time in the past. */
export type PastServices = {
  /** Moves the clocks of the services and of the banks; time goes on from there. */
  setTime(time: Date): Promise<void>;
  /** Ends the services, and sets the banks' clocks right. */
  close(): Promise<void>;
};

/** Scans come often: a month passes within half a minute. */
const scanIntervalSeconds = 0.25;

/**
 * Runs both services in this process, at their usual ports, by a clock that can be set: the clock is all that differs.
 * @param env of the services
 */
export async function startPastServices(
  env: { api: NodeJS.ProcessEnv; dispatcher: NodeJS.ProcessEnv },
  bankUrls: readonly string[],
  begin: Date,
): Promise<PastServices> {
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const setBanks = (clock: object) =>
    Promise.all(bankUrls.map((url) => callJson(`${url}/bank/clock`, undefined, clock)));
  const setTime = async (time: Date) => {
    offsetMs = time.getTime() - Date.now();
    await setBanks({ now: time.toISOString() });
  };
  const log = createLogger('past', 'silent');
  await setTime(begin);
  const api = await startApi(readEnvironment(apiSettings, env.api), log, { now });
  const settings = readEnvironment(dispatcherSettings, env.dispatcher);
  const scans = { SCAN_INTERVAL_SECONDS: scanIntervalSeconds };
  const dispatcher = await startDispatcher({ ...settings, ...scans }, log, { now }).catch(async (error) => {
    await api.close();
    throw error;
  });
  return {
    setTime,
    close: async () => {
      await Promise.all([api.close(), dispatcher.close()]);
      await setBanks({});
    },
  };
}
