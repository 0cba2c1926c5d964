import type { Defect } from './defect.ts';

/** The feed shows what is committed, by place alone: a reader passes what a slower transaction has yet to commit. */
export const feedWithoutHorizon: Defect = {
  name: 'feed without its horizon',
  edits: [
    {
      file: 'packages/database/src/events/feed.ts',
      find: ' and place < feed_horizon()',
      replace: '',
    },
  ],
  faults: ['postgres-connection-slow', 'api-killed'],
  pauseSeconds: [0.5, 2],
  seconds: 45,
  rate: 40,
  breaks: [{ promise: 13, says: /the feed of .* skipped/ }],
};
