import { runService } from '@payments/startup/run';
import { startApi } from './api.ts';
import { apiSettings } from './settings.ts';

const closingMs = 30_000;

runService('api', apiSettings, (settings) => settings.SHUTDOWN_DELAY_MS + closingMs, startApi);
