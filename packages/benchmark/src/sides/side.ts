import { heapFlags } from '@payments/testing/replica';

/** One of the compared systems, which serves creations and reads of a store with this token. */
export type Side = AsyncDisposable & { name: string; url: string; token: string };

/** The heap settings of every side: those of the README. */
export const sideFlags = heapFlags;
