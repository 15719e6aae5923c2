// What only a stack knows when it is held to the conformance suite: its device, the way there, and sample points.
import type { Datatype, Value } from '@telltale/schema';
import type { Stack } from '../define-stack.ts';
import type { WriteResult } from '../write-result.ts';

/** Where a connector finds its device, or a provider listens. With transport `none`, port 0. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export type Transport = 'tcp' | 'udp' | 'none';

export interface SamplePoint {
  readonly address: string;
  /** The raw datatype, in which the values are as well. */
  readonly datatype: Datatype;
  /**
   * At least two that differ, exact in the protocol. No two samples of a world share a value (but for datatypes b and q):
   * so the value of one point at another shows.
   */
  readonly values: readonly [Value, Value, ...Value[]];
  readonly properties?: Readonly<Record<string, string>>;
}

/** A device that the world has started, reached by its own port; an independent peer where there is one. */
export interface TestDevice {
  readonly port: number;
  /** Makes the device have the value at the address of a sample measurement or command, by another way than the connector. */
  set(address: string, value: Value): void | Promise<void>;
  /** What the device has at the address of a sample command, by another way than the connector. */
  get(address: string): Value | undefined | Promise<Value | undefined>;
  /** The device ends what it knows of its clients, such as sessions or subscriptions, and leaves the connections open. */
  forgetClients?(): void | Promise<void>;
  stop(): void | Promise<void>;
}

export interface ConnectorWorld {
  /** The default export of `src/stack.ts`. */
  readonly stack: Stack;
  /** Why nothing of this can be run here, such as a peer that is missing. */
  readonly skip?: string | undefined;
  readonly transport: Transport;
  /**
   * Whether the protocol, as the variables set it, recognises a flipped bit: a checksum or a signature of its own. Where
   * it does not, a garbled value cannot be distinguished from a true one, and only the rest is asked.
   */
  readonly recognisesGarbling: boolean;
  /**
   * False where an answer does not say which question it answers, so that a second copy of one can be taken for the
   * answer to the next. True.
   */
  readonly distinguishesAnswers?: boolean;
  /** False where a connection that ends is replaced by another, and the link does not notice. True. */
  readonly linkIsConnection?: boolean;
  /** On a free port of 127.0.0.1. */
  startDevice(): Promise<TestDevice>;
  /** Puts files into the folder of the connector that its variables name, such as certificates. */
  prepareFolder?(folder: string): void;
  /** That lead to the device, with short times: scans of 20 to 50 ms, 200 to 500 ms to answer. */
  variables(device: Endpoint): Readonly<Record<string, string>>;
  /** Each is put over the variables, and must be refused before anything is sent. At least one. */
  readonly badVariables: readonly Readonly<Record<string, string>>[];
  /** At least two where the device can have as many. */
  readonly measurements: readonly SamplePoint[];
  /** Empty where the protocol has none. The first is used most. */
  readonly commands: readonly SamplePoint[];
  /** A write that passes every check of the configuration and that the device refuses, or why there is none. */
  readonly refused: { readonly address: string; readonly datatype: Datatype; readonly value: Value } | string;
  /** A measurement that passes every check of the configuration and that the device does not have, or why there is none. */
  readonly unknown: { readonly address: string; readonly datatype: Datatype } | string;
  /** False where the device does not say that it has taken a write: then a lost answer cannot be noticed. True. */
  readonly writesAreAnswered?: boolean;
  /** The longest that silence may go unnoticed with these variables. 10 s. */
  readonly silenceMs?: number;
  /** The longest until everything is right again after a loss. 20 s. */
  readonly recoveryMs?: number;
}

/** What a client of a provider sees at an address. */
export interface Seen {
  /** Undefined where the protocol serves none with a bad quality. */
  readonly value: Value | undefined;
  /** However the protocol tells it: a status, a bit, an exception, absence. */
  readonly isGood: boolean;
  /** Where the protocol has a place for it. */
  readonly timeUs?: number | undefined;
}

/** An independent client of the provider where there is one. */
export interface TestClient {
  read(address: string): Promise<Seen>;
  /** Resolves when the provider has accepted it, and rejects when it was refused. */
  write(address: string, value: Value): Promise<void>;
  close(): void | Promise<void>;
}

export interface ProviderWorld {
  readonly stack: Stack;
  readonly skip?: string | undefined;
  readonly transport: Transport;
  /** For a provider that does not listen but connects to someone, such as a broker: on a free port of 127.0.0.1. */
  startServed?(): Promise<{ readonly port: number; stop(): void | Promise<void> }>;
  /** Puts files into the folder of the provider that its variables name, such as certificates. */
  prepareFolder?(folder: string): void;
  /** The provider listens at the endpoint, or connects to it; with short times. */
  variables(endpoint: Endpoint): Readonly<Record<string, string>>;
  readonly badVariables: readonly Readonly<Record<string, string>>[];
  /** A client of whoever is at the endpoint: the provider, or whom it serves. */
  connectClient(endpoint: Endpoint): Promise<TestClient>;
  /**
   * What clients that never stop ask, of a provider that listens: a request that can be sent over and over, one right after
   * the other; or, where a client has more to do, a program that runs clients as `greedy-clients.ts` does, given the port.
   */
  readonly greedy?: Buffer | URL;
  readonly measurements: readonly SamplePoint[];
  readonly commands: readonly SamplePoint[];
  /** The longest until a client sees what was published. 15 s. */
  readonly seenMs?: number;
  /**
   * By what the client's `write` rejects where the server says so of it: an answer that says no more than this. Required where
   * there are commands.
   */
  readonly writesFail?: Readonly<Record<Exclude<WriteResult['kind'], 'accepted'>, RegExp>>;
}

export interface ConformanceWorlds {
  readonly connector?: ConnectorWorld;
  readonly provider?: ProviderWorld;
}
