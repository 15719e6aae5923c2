// The store as a site sees it, over a connection of its own or over the bus.

/** What the store has of a site's epoch: its newest parcel. */
export interface Received {
  /** 0: it has none yet. */
  readonly seq: number;
  /** That came with it; or empty. */
  readonly position: string;
  /** Another epoch was begun since: of this one nothing more is taken. */
  readonly isOver?: boolean;
}

/** An epoch that a site begins. */
export interface Claimed {
  readonly epoch: number;
  /** Whether the store has any parcel of the site. */
  readonly isKnown: boolean;
}

/** Each rejects with a `StoreError` where the store cannot be reached or refuses: trying again does no harm. */
export interface ParcelStore {
  /** Bytes of a parcel that are best not exceeded now. Undefined: a parcel may be as large as any. */
  readonly mostBytes?: number | undefined;
  /** Undefined: it does not know of this epoch. */
  newest(site: string, epoch: number): Promise<Received | undefined>;
  /**
   * An epoch higher than any that it has of the site, which ends those before it. Or the one that a lease has given: nothing ends then, since
   * each node sends what it has recorded under its own; where another has sent in that one, again the next higher one.
   */
  claim(site: string, given?: number): Promise<Claimed>;
  /** Resolves when the store has committed it, with the newest that it has then: another one where this did not come next. */
  send(site: string, epoch: number, seq: number, parcel: Uint8Array): Promise<Received>;
}
