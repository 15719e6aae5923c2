// The centre of a benchmark: servers of the bus, archivers in processes of their own, and PostgreSQL; what they take of the processors, and
// whether everything is in the store once.
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import { replaces } from '../packages/server/src/archive/index.ts';
import { decodeParcel, type Section } from '../packages/server/src/archive/parcel/index.ts';
import type { ArchiverProcessOptions, ArchiverSaid } from '../packages/server/test/bus/archiver-process.ts';
import { PartProcess } from '../packages/server/test/bus/part-process.ts';
import { connectTo } from '../packages/server/test/store-database.ts';
import { Nats } from '../test/engines/nats.ts';
import { Postgres } from '../test/engines/postgres.ts';
import { busyMsOf } from '../test/process-memory.ts';
import { bitsOf, type Pattern } from './pattern-archive.ts';
import type { SiteStart, SitesOptions, SitesSaid } from './uplink-sites.ts';

export interface CentreOptions {
  /** Commits wait for a standby of PostgreSQL. */
  readonly hasStandby: boolean;
}

export interface SitesWanted extends Omit<SitesOptions, 'url'> {
  /** That they are in. */
  readonly processes: number;
}

export type SitesProcess = PartProcess<SitesOptions, SitesSaid>;

/** Of everything that was sent, whether it is there. */
export interface Verdict {
  readonly records: number;
  readonly lost: number;
  readonly double: number;
  readonly wrong: number;
}

const archiverCount = 2;
/** Of a machine that does other things as well. */
const limitMs = 20_000;
const settings = { shared_buffers: '256MB', max_wal_size: '4GB', checkpoint_timeout: '30min' };

/** They scan one after the other within a period. */
export function siteStarts(count: number, startMs: number, periodMs: number): SiteStart[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `site${at}`,
    startMs: startMs + Math.floor((at * periodMs) / count),
  }));
}

export class UplinkCentre {
  readonly nats: Nats;
  readonly postgres: Postgres;
  readonly standby: Postgres | undefined;
  readonly archivers: readonly PartProcess<ArchiverProcessOptions, ArchiverSaid>[];
  readonly #scope: Scope;

  static async start(scope: Scope, { hasStandby }: CentreOptions): Promise<UplinkCentre> {
    const [nats, postgres] = await Promise.all([
      Nats.start(scope, { servers: 3 }),
      Postgres.start(scope, { settings }),
    ]);
    const standby = hasStandby ? await postgres.addStandby({ isSynchronous: true }) : undefined;
    const centre = new UplinkCentre(scope, nats, postgres, standby);
    for (const archiver of centre.archivers) {
      await archiver.start({ url: centre.url, store: postgres.url(), limitMs });
    }
    return centre;
  }

  private constructor(scope: Scope, nats: Nats, postgres: Postgres, standby: Postgres | undefined) {
    [this.#scope, this.nats, this.postgres, this.standby] = [scope, nats, postgres, standby];
    const script = new URL('../packages/server/test/bus/archiver-process.ts', import.meta.url);
    this.archivers = Array.from({ length: archiverCount }, () => new PartProcess(scope, script));
  }

  get url(): string {
    return `nats://${this.nats.urls.map((url) => new URL(url).host).join()}`;
  }

  /** On the bus, each with a connection of its own. */
  async startSites({ sites, processes, ...options }: SitesWanted): Promise<SitesProcess[]> {
    const script = new URL('./uplink-sites.ts', import.meta.url);
    const started: SitesProcess[] = [];
    for (let at = 0; at < processes; at++) {
      const own = sites.filter((_, number) => number % processes === at);
      const process: SitesProcess = new PartProcess(this.#scope, script);
      await process.start({ ...options, url: this.url, sites: own });
      started.push(process);
    }
    return started;
  }

  /** What each part had of the processors so far, in ms. */
  busyMs(): Readonly<Record<string, number>> {
    const busy = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + busyMsOf(pid), 0);
    return {
      bus: busy(this.nats.servers.flatMap(({ pids }) => pids)),
      archivers: busy(this.archivers.map(({ pid }) => pid)),
      PostgreSQL: busy(this.postgres.pids),
      ...(this.standby && { 'its standby': busy(this.standby.pids) }),
    };
  }

  /** Of what a site has sent, in order. */
  async *sectionsOf(site: string): AsyncGenerator<StoredSection> {
    await using ending = new AsyncDisposableStack();
    const connection = await connectTo(ending, this.postgres.url());
    const columns = 'epoch, seq, extract(epoch from received)::float8 * 1000000 as "receivedUs", bytes';
    const sql = `select ${columns} from telltale.parcel where site = $1 and (epoch, seq) > ($2, $3) order by epoch, seq limit 50`;
    for (let after = [0, 0]; ; ) {
      const { rows } = await connection.query<StoredParcel>(sql, [site, ...after]);
      for (const { receivedUs, bytes } of rows) {
        for (const section of decodeParcel(bytes).sections) yield { receivedUs, section };
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = [last.epoch, last.seq];
    }
  }

  /** Of sites that have this pattern and have sent so many scans. */
  async judge(pattern: Pattern, sites: readonly SiteStart[], scans: number, periodMs: number): Promise<Verdict> {
    const verdict = { records: 0, lost: 0, double: 0, wrong: 0 };
    for (const { id, startMs } of sites) {
      const judge = new SiteJudge(pattern, scans, startMs, periodMs);
      for await (const { section } of this.sectionsOf(id)) judge.take(section);
      const own = judge.verdict;
      for (const what of Object.keys(own) as (keyof Verdict)[]) verdict[what] += own[what];
    }
    return verdict;
  }
}

interface StoredParcel {
  readonly epoch: number;
  readonly seq: number;
  readonly receivedUs: number;
  readonly bytes: Uint8Array;
}

export interface StoredSection {
  readonly receivedUs: number;
  readonly section: Section;
}

/** Holds what came of a site against its pattern. */
export class SiteJudge {
  readonly #pattern: Pattern;
  readonly #startMs: number;
  readonly #periodMs: number;
  /** By scan and point, how many times. */
  readonly #seen: Uint8Array;
  #wrong = 0;

  constructor(pattern: Pattern, scans: number, startMs: number, periodMs: number) {
    [this.#pattern, this.#startMs, this.#periodMs] = [pattern, startMs, periodMs];
    this.#seen = new Uint8Array(scans * pattern.points);
  }

  /** What is repeated replaces what came before. */
  take({ series, ends, columns, isRepeated }: Section): void {
    const { points } = this.#pattern;
    let at = 0;
    for (const [which, point] of series.entries()) {
      for (const end = ends[which] as number; at < end; at++) {
        const scan = ((columns.times[at] as number) / 1000 - this.#startMs) / this.#periodMs;
        const place = scan * points + point;
        if (!Number.isInteger(scan) || scan < 0 || place >= this.#seen.length) {
          this.#wrong++;
          continue;
        }
        this.#seen[place] = isRepeated ? 1 : (this.#seen[place] as number) + 1;
        const isSame = columns.longs[at] === bitsOf(this.#pattern.valuesOf(scan))[point];
        const quality = (columns.qualities[at] as number) & ~replaces;
        if (!isSame || quality !== this.#pattern.qualitiesOf(scan)[point]) this.#wrong++;
      }
    }
  }

  get verdict(): Verdict {
    const verdict = { records: 0, lost: 0, double: 0, wrong: this.#wrong };
    for (const times of this.#seen) {
      verdict.records += times;
      if (times === 0) verdict.lost++;
      if (times > 1) verdict.double += times - 1;
    }
    return verdict;
  }
}

/** Of each process one after the other, by the newest that it has said. */
export function total(
  processes: readonly SitesProcess[],
  of: (said: Partial<SitesSaid>) => number | undefined,
): number {
  return processes.reduce((sum, { said }) => sum + (of(said) ?? 0), 0);
}
