import { heapFlags } from '@payments/testing/replica';

/** One of the things that are compared: it answers creations and reads of a store with this token. */
export type Side = { name: string; url: string; token: string; stop(): Promise<void> };

/** Every side's heap: the README's flags, and what the services set for themselves. */
export const sideFlags = [...heapFlags, '--heap-growing-percent=60'];
