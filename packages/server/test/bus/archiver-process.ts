// An archiver of a centre, with a store on PostgreSQL.
import { systemClock } from '@telltale/schema';
import { Archiver, type ArchiverCounts, BusConnection, parseBusAddress } from '../../src/bus/index.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { endWithStarter, tellStarter } from './part-process.ts';

export interface ArchiverProcessOptions {
  readonly url: string;
  readonly store: string;
  readonly limitMs: number;
}

export interface ArchiverSaid {
  readonly isUp: boolean;
  /** After any message. */
  readonly counts: ArchiverCounts;
}

const { url, store: address, limitMs } = JSON.parse(process.argv[2] ?? '') as ArchiverProcessOptions;
endWithStarter();
const bus = new BusConnection({
  clock: systemClock,
  address: parseBusAddress(url),
  name: 'archiver',
  inbox: 'inbox.archiver',
});
const store = new PostgresStore({ address, clock: systemClock, limitMs });
const onFault = (error: unknown) => console.error(error);
const archiver = new Archiver({ bus, store, onFault });
bus.observe(({ isUp }) => tellStarter({ isUp }));
archiver.start();
bus.start();
process.on('message', () => tellStarter({ counts: archiver.counts }));
