// The HTTP interface over an archive in memory, with a few objects that are configured: what the tests of the archive's
// interface stand on.
import type { AddressInfo } from 'node:net';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { Alarms } from '../src/alarms/index.ts';
import type { HttpServer } from '../src/api/index.ts';
import { Archiving } from '../src/archive/index.ts';
import {
  archive as archiveOf,
  type Implementations,
  Imports,
  LiveData,
  liveObjects,
  type StackAccess,
} from '../src/operations/index.ts';
import { Commands, Measurements } from '../src/points/index.ts';
import { MemoryArchive } from './memory-archive.ts';
import { PlainDisk } from './plain-disk.ts';
import { plainHttp, plainRoutes } from './plain-http.ts';
import { SlowDisk } from './slow-disk.ts';

export const maxBackfillBytes = 8 << 20;

export class ArchiveBench {
  readonly clock = new ManualClock();
  readonly archive = new MemoryArchive();
  readonly implementations: Partial<Implementations>;
  readonly #imports: Imports;
  readonly #http: HttpServer;

  constructor() {
    const { clock, archive } = this;
    const disk = new PlainDisk();
    const measurements = new Measurements({ clock, store: disk });
    const commands = new Commands({ clock, store: disk, writeToDevice: () => Promise.resolve() });
    const alarms = new Alarms({ clock, store: new SlowDisk(new Map()), measurements });
    for (const datatype of ['b', 'q', 'i', 'l', 'f', 'd', 's'] as const) {
      measurements.put({ name: `of_${datatype}`, datatype });
    }
    for (const name of ['level', '__proto__', 'constructor']) measurements.put({ name, datatype: 'd' });
    commands.put({ name: 'setpoint', datatype: 'd' });
    alarms.put({ name: 'high', severity: 1 });
    const data = new LiveData({ measurements, commands, alarms });
    const sink = { batch: new Batch(), refOf: () => 0, added: () => undefined };
    const archiving = new Archiving({ clock, measurements, commands, sink, onJump: () => undefined });
    this.#imports = new Imports({ clock, take: (key, batch) => archive.backfill(key, batch) });
    const space = { sizeBytes: 1000, freeBytes: 400 };
    const storage = async () => ({ maxBytes: undefined, retentionUs: undefined, disk: space });
    this.implementations = archiveOf({ archive, archiving, imports: this.#imports, data, clock, storage });
    this.#http = plainHttp({
      routes: plainRoutes(
        { ...liveObjects({ data, stacks: {} as StackAccess, boot: '' }), ...this.implementations },
        { 'max-backfill-size': maxBackfillBytes },
      ),
    });
  }

  async open(): Promise<void> {
    await this.#http.listen({ host: '127.0.0.1', port: 0 });
  }

  async close(): Promise<void> {
    this.#http.server.closeAllConnections();
    await this.#http.close();
    await this.#imports.close();
  }

  get port(): number {
    return (this.#http.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`${this.url}/data/archive${path}`, init);
  }

  post(path: string, body: string, type = 'application/json'): Promise<Response> {
    return this.fetch(path, { method: 'POST', body, headers: { 'content-type': type } });
  }
}
