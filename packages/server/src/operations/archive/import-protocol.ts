// The calls between the main thread and the thread that parses imports, on one port per import. Closing the port, from
// either side, ends the import.
import type { MessagePort } from 'node:worker_threads';
import type { BatchMessage, Datatype } from '@telltale/schema';

/** Whose records they are. */
export interface ImportKey {
  readonly kind: 'measurements' | 'commands';
  readonly name: string;
  readonly datatype: Datatype;
}

export interface ParserThread {
  begin(begin: BeginImport): void;
}

export interface BeginImport {
  readonly key: ImportKey;
  readonly type: string;
  readonly port: MessagePort;
}

export interface ImportThread {
  bytes(bytes: Uint8Array): void;
  end(): void;
  /** Resolves when all records are stored. */
  done(): Promise<void>;
}

export interface ImportClient {
  /** So many bytes were parsed: as many more may be sent. */
  parsed(bytes: number): void;
  /** Resolves when it is on disk; the next one comes afterwards. */
  batch(batch: BatchMessage): Promise<void>;
}
