import type { Backing } from '../system/backing.ts';
import type { LinkedReplica } from '../system/linked-service.ts';

/** A database that is lost in a drill, and comes back without its last commits. */
export type Recoverable = {
  backing: Backing;
  /** Begins what the database comes back from. */
  prepare(): Promise<void>;
  /** @returns a moment behind everything that will come back */
  moment(): Promise<Date>;
  /** Loses the database. At a failover the services go on, at a restore they are stopped. */
  lose(services: readonly LinkedReplica[]): Promise<void>;
  /**
   * Brings the database back as it was at the moment, and moves the address.
   * @returns its URL
   */
  recover(moment: Date): Promise<string>;
};
