// A site, two archivers and a store, each a process of its own, with three servers of NATS between them, and lines that can be cut.
import { join } from 'node:path';
import { systemClock } from '@telltale/schema';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Nats } from '../../../../test/engines/nats.ts';
import { Postgres } from '../../../../test/engines/postgres.ts';
import { decodeParcelFront } from '../../src/archive/parcel/index.ts';
import { ArchiveStore } from '../../src/archive/store/archive-store.ts';
import { PlainStore } from '../plain-store.ts';
import { connectTo } from '../store-database.ts';
import type { ArchiverProcessOptions, ArchiverSaid } from './archiver-process.ts';
import type { Struck } from './faults.ts';
import { PartProcess } from './part-process.ts';
import type { SiteOptions, SiteSaid } from './site-process.ts';

export type Line = readonly FaultProxy[];

const site = 'works';
/** Short, so that a round is short. */
const answerMs = 1500;
/** Records that were on their way to the disk when a site was killed may be there or not: their numbers are left out. */
const leftOut = 100_000;

export class UplinkWorld {
  readonly nats: Nats;
  readonly postgres: Postgres;
  readonly site: PartProcess<SiteOptions, SiteSaid>;
  readonly archivers: readonly PartProcess<ArchiverProcessOptions, ArchiverSaid>[];
  /** Of the site, and of each archiver, to each server of NATS. */
  readonly lines: readonly Line[];
  /** Of the archivers to PostgreSQL. */
  readonly toStore: FaultProxy;
  /** Numbers of records that the site has acknowledged: from, and the one behind the last. */
  readonly #acknowledged: { from: number; to: number }[] = [];
  readonly #folder: string;
  #from = 0;

  static async start(scope: Scope): Promise<UplinkWorld> {
    const [nats, postgres] = await Promise.all([Nats.start(scope, { servers: 3 }), Postgres.start(scope)]);
    const proxyTo = async ({ port }: { port: number }) =>
      cleanupOf(scope).use(await FaultProxy.start({ host: '127.0.0.1', port }));
    const line = () => Promise.all(nats.servers.map(proxyTo));
    const lines = await Promise.all([line(), line(), line()]);
    const world = new UplinkWorld(scope, nats, postgres, lines, await proxyTo(postgres));
    for (const at of world.archivers.keys()) await world.startArchiver(at);
    await world.startSite();
    return world;
  }

  private constructor(scope: Scope, nats: Nats, postgres: Postgres, lines: readonly Line[], toStore: FaultProxy) {
    this.nats = nats;
    this.postgres = postgres;
    this.lines = lines;
    this.toStore = toStore;
    this.#folder = temporaryFolder(scope);
    this.site = new PartProcess(scope, new URL('./site-process.ts', import.meta.url));
    this.archivers = [0, 1].map(() => new PartProcess(scope, new URL('./archiver-process.ts', import.meta.url)));
  }

  /** What may be struck together, by a word for it. */
  get parts(): Readonly<Record<string, Struck>> {
    const { nats, postgres, lines } = this;
    const site = {
      kill: () => this.killSite(),
      again: () => this.startSite(),
      freeze: () => this.site.freeze(),
      thaw: () => this.site.thaw(),
    };
    const archivers = this.archivers.map((archiver, at) => ({
      kill: () => archiver.kill(),
      again: () => this.startArchiver(at),
      freeze: () => archiver.freeze(),
      thaw: () => archiver.thaw(),
    }));
    const [ofSite = [], ...ofArchivers] = lines;
    const servers = nats.servers.map((server, at): [string, Struck] => [
      `server ${at}`,
      { processes: [server], lines: lines.flatMap((line) => line[at] ?? []) },
    ]);
    return {
      site: { processes: [site], lines: ofSite },
      'archiver 0': { processes: archivers.slice(0, 1), lines: ofArchivers[0] ?? [] },
      'archiver 1': { processes: archivers.slice(1), lines: ofArchivers[1] ?? [] },
      archivers: { processes: archivers, lines: ofArchivers.flat() },
      ...Object.fromEntries(servers),
      servers: { processes: nats.servers, lines: lines.flat() },
      store: { processes: [postgres], lines: [this.toStore] },
    };
  }

  get recorded(): number {
    return this.site.said.recorded ?? 0;
  }

  async startSite(): Promise<void> {
    await this.site.start({ folder: this.#folder, url: this.#url(0), site, from: this.#from, answerMs });
  }

  async killSite(): Promise<void> {
    await this.site.kill();
    const { recorded } = this;
    if (recorded > this.#from) this.#acknowledged.push({ from: this.#from, to: recorded });
    this.#from = Math.max(this.#from, recorded) + leftOut;
  }

  async startArchiver(at: number): Promise<void> {
    const store = this.postgres.url('owner', { ports: [this.toStore.port] });
    await this.archivers[at]?.start({ url: this.#url(at + 1), store, limitMs: 2000 });
  }

  /** Until the store has everything, and the site has ended. Answers what it said last. */
  async finish(): Promise<SiteSaid['sent']> {
    this.site.tell({});
    await until('the store has everything', () => this.site.said.sent?.isIdle === true, { deadlineMs: 120_000 });
    await this.killSite();
    return this.site.said.sent as SiteSaid['sent'];
  }

  openArchive(): ArchiveStore {
    return ArchiveStore.open(join(this.#folder, 'archive'), {
      clock: systemClock,
      onDamage: ({ reason }) => {
        throw new Error(reason);
      },
    });
  }

  /** How many records it has acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  isAcknowledged(number: number): boolean {
    return this.#acknowledged.some(({ from, to }) => number >= from && number < to);
  }

  /** What is in PostgreSQL; throws where anything is missing between, or there twice. */
  async stored(scope: Scope): Promise<PlainStore> {
    const connection = await connectTo(scope, this.postgres.url());
    const { rows } = await connection.query<{ bytes: Uint8Array }>(
      'select bytes from telltale.parcel order by epoch, seq',
      [],
    );
    const plain = new PlainStore();
    let epoch = 0;
    for (const { bytes } of rows) {
      const front = decodeParcelFront(bytes);
      while (epoch < front.epoch) epoch = (await plain.claim()).epoch;
      const { seq } = await plain.send(site, front.epoch, front.seq, bytes);
      if (seq !== front.seq) throw new Error(`parcel ${front.epoch}-${front.seq} follows ${seq}`);
    }
    return plain;
  }

  #url(line: number): string {
    return `nats://${this.lines[line]?.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }
}
