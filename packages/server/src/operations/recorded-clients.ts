// What clients of providers write and acknowledge passes here instead of the gate: it is permitted, and recorded as that of
// any other caller is.
import { declarationOf, type OperationName } from '@telltale/schema';
import type { ProviderAsked, ProviderClient } from '../access/index.ts';
import type { Note, RecordedCaller, Recording } from './recording.ts';

export interface RecordedClientsOptions {
  readonly recording: Recording;
  /** Throws where it is not permitted. */
  readonly admit: (asked: ProviderAsked) => ProviderClient;
}

/** What is recorded of it. */
const recordedAs: Readonly<Record<ProviderAsked['permission'], OperationName>> = {
  write: 'writeCommand',
  acknowledge: 'acknowledgeAlarm',
};

export class RecordedClients {
  readonly #options: RecordedClientsOptions;

  constructor(options: RecordedClientsOptions) {
    this.#options = options;
  }

  /** Resolves when its record is on disk. */
  async carryOut(asked: ProviderAsked, work: (client: ProviderClient, note: Note) => Promise<void>): Promise<void> {
    const { recording, admit } = this.#options;
    const name = recordedAs[asked.permission];
    const operation = { name, effect: declarationOf(name).effect };
    let client: ProviderClient;
    try {
      client = admit(asked);
    } catch (error) {
      recording.denied(operation, askingOf({ author: `provider/${asked.provider}` }), asked.name, error as Error);
      throw error;
    }
    await recording.carryOut(operation, askingOf(client), asked.name, (note) => work(client, note));
  }
}

function askingOf({ author }: Pick<ProviderClient, 'author'>): RecordedCaller {
  return { caller: { author, kind: 'provider', session: undefined }, credentials: {} };
}
