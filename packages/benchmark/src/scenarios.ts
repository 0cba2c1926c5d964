import type { Scenario } from './scenario.ts';
import { creation, read } from './scenarios/api-sides.ts';
import { backlog } from './scenarios/backlog.ts';
import { banks } from './scenarios/banks.ts';
import { exports } from './scenarios/exports.ts';
import { feed } from './scenarios/feed.ts';
import { firstPage } from './scenarios/first-page.ts';
import { floods } from './scenarios/floods.ts';
import { footprint } from './scenarios/footprint.ts';
import { hanging, hangingStores } from './scenarios/hanging.ts';
import { latency } from './scenarios/latency.ts';
import { pages } from './scenarios/pages.ts';
import { retention } from './scenarios/retention.ts';

/** One scenario for each floor, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  creation,
  read,
  firstPage,
  latency,
  backlog,
  hanging,
  hangingStores,
  banks,
  exports,
  pages,
  feed,
  floods,
  retention,
  footprint,
];
