import type { Scenario } from './scenario.ts';
import { backlog } from './scenarios/backlog.ts';
import { creation, read } from './scenarios/creation.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { hanging } from './scenarios/hanging.ts';
import { idleScans } from './scenarios/idle-scans.ts';
import { isolation } from './scenarios/isolation.ts';
import { latency } from './scenarios/latency.ts';
import { lists } from './scenarios/lists.ts';
import { memory } from './scenarios/memory.ts';
import { reviews } from './scenarios/reviews.ts';
import { size } from './scenarios/size.ts';
import { start } from './scenarios/start.ts';
import { waits } from './scenarios/waits.ts';

/** All scenarios, in the order in which they run. */
export const scenarios: Scenario[] = [
  creation,
  read,
  lists,
  size,
  deliveries,
  latency,
  hanging,
  isolation,
  backlog,
  idleScans,
  reviews,
  waits,
  memory,
  start,
];
