// The thread that reads the store: serves queries in turns, as the one that reads the archive does.
import { systemClock } from '@telltale/schema/values';
import { type Begin, Reader, snapshotRequest } from '../../archive/query/index.ts';
import { type Link, parentLink } from '../../threads/index.ts';
import { readAddress } from '../postgres/address.ts';
import { Connections } from '../postgres/connections.ts';
import { checkInstalled } from '../postgres/install.ts';
import type { OpenStoreReader, StoreReaderClient, StoreReaderThread } from './protocol.ts';
import { namesInInterval, newestDatatype, seriesNames } from './series-names.ts';
import { siteName } from './site-name.ts';
import { orProblem } from './store-problem.ts';
import { type StoreReadRequest, StoreSource } from './store-source.ts';

/** Statements that run at once; a query has one at a time. */
const mostConnections = 8;

class StoreReader {
  readonly connections: Connections;
  readonly queries: Reader<StoreReadRequest>;
  readonly #source: StoreSource;

  constructor(client: Link<StoreReaderClient>, { address: text, limitMs }: OpenStoreReader) {
    const address = readAddress(text);
    this.connections = new Connections({
      address,
      clock: systemClock,
      session: address.session,
      most: mostConnections,
      limitMs,
      prepare: checkInstalled,
    });
    this.#source = new StoreSource(this.connections, ({ site, epoch, seq }, reason) =>
      client.notify('damaged', [{ site, epoch, seq, reason }]),
    );
    this.queries = new Reader(client, this.#source);
  }

  async begin(begin: Begin<StoreReadRequest>): Promise<void> {
    const { id, request } = begin;
    try {
      const snapshots = await this.#source.snapshots(id, snapshotRequest(request, 0), request);
      if (this.#source.isRunning(id)) this.queries.begin(begin, snapshots);
    } catch (error) {
      // Cancelled meanwhile, it is over already.
      if (this.#source.isRunning(id)) this.queries.fail(id, error);
    }
  }
}

function main(): void {
  let reader: StoreReader | undefined;
  const opened = () => reader as StoreReader;
  const client: Link<StoreReaderClient> = parentLink<StoreReaderClient, StoreReaderThread>({
    open: (options) => {
      reader = new StoreReader(client, options);
    },
    read: (begin) => void opened().begin(begin),
    cancel: (id) => opened().queries.end(id),
    credit: (id, pages, buffer) => opened().queries.credit(id, pages, buffer),
    names: (site, kind) => orProblem(seriesNames(opened().connections, site, kind)),
    namesIn: (kind, sinceUs, untilUs) => orProblem(namesInInterval(opened().connections, kind, { sinceUs, untilUs })),
    datatypeOf: (site, kind, name) => orProblem(newestDatatype(opened().connections, kind, siteName(site, name))),
    close: () => opened().connections.close(),
  });
}

main();
