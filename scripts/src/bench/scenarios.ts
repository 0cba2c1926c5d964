import type { Scenario } from './scenario.ts';
import { creation, read } from './scenarios/creation.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { lists } from './scenarios/lists.ts';
import { size } from './scenarios/size.ts';

/** All scenarios, in the order in which they run. */
export const scenarios: Scenario[] = [creation, read, lists, size, deliveries];
