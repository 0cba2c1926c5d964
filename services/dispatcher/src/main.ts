import { runService } from '@payments/startup/run';
import { startDispatcher } from './dispatcher.ts';
import { dispatcherSettings } from './settings.ts';

const closingMs = 15_000;

runService(
  'dispatcher',
  dispatcherSettings,
  (settings) => settings.WEBHOOK_TIMEOUT_MS + closingMs,
  startDispatcher,
);
