// What carries the bytes of a client: a TCP connection or a serial port.

export interface Transport {
  /** Throws `NotConnected`. */
  open(signal: AbortSignal): Promise<void>;
  send(bytes: Uint8Array): void;
  /** Reconnects the same link, so that nothing in transit arrives any more; undefined if that is not possible. */
  readonly renew?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Gives everything back. May be opened again. */
  close(): Promise<void>;
  /** How long so many bytes are on the line. */
  lineMs(bytes: number): number;
  readonly silenceMs: number;
  /** Set by the one that uses it. */
  onData: (bytes: Uint8Array) => void;
  /** The link is gone, by itself; once. */
  onLost: (reason: string) => void;
}
