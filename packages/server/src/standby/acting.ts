// What it is to act for a site, as the service does it.

/** Each resolves before the other is called. */
export interface Acting {
  /** It leads under this epoch. */
  begin(epoch: number): Promise<void>;
  /** Another node does. */
  end(): Promise<void>;
  /** Without a lease, another one may lead now, which cannot be known: its programs rest. */
  pause(): Promise<void>;
  /** None did: it goes on. */
  resume(): void;
  /** Before a planned end: the programs that it runs end, while they may still write. */
  rest(): Promise<void>;
  /** What `end` has ended holds no device any more, or only for a moment. */
  ended(): Promise<void>;
  /** Why this node could do nothing for the site; undefined where it could. */
  problem(): string | undefined;
}
