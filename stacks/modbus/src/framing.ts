// What a client knows of a request under way, and what a frame around it is to the client.

export interface Exchange {
  /** Of no other that is under way, or was lately; 16 bits. */
  readonly id: number;
  readonly unit: number;
  readonly request: Uint8Array;
}

export interface Framing {
  readonly hasIds: boolean;
  frame(exchange: Exchange): Uint8Array;
  /**
   * What has come from the line. Calls back for each answer to one of those that are expected; what answers none of them
   * is passed over. Throws `NotConnected` where the line speaks something else.
   */
  receive(chunk: Uint8Array, expected: Expected, answer: (exchange: Exchange, pdu: Uint8Array) => void): void;
  /** What has come so far is forgotten: the line is another, or its next byte begins a frame. */
  clear(): void;
}

/** The exchanges whose answers may come. */
export interface Expected {
  /** The one under way of this id; for frames that have ids. */
  byId(id: number): Exchange | undefined;
  /** For frames that have none: the only one under way, first, then those that were given up, of other units each. */
  all(): readonly Exchange[];
}
