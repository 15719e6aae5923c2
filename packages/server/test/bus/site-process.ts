// A site: records all the time, in small generations, and sends what it has archived over the bus.
import { MessageChannel } from 'node:worker_threads';
import { Batch, systemClock, type Value } from '@telltale/schema';
import { Archive, type OutgoingAccess, type OutgoingClient } from '../../src/archive/index.ts';
import { BusConnection, BusStore, parseBusAddress } from '../../src/bus/index.ts';
import { Sender, type SenderState } from '../../src/store/sender.ts';
import { Link, messagePort } from '../../src/threads/index.ts';
import { keys } from '../store-model.ts';
import { endWithStarter, tellStarter } from './part-process.ts';

export interface SiteOptions {
  readonly folder: string;
  readonly url: string;
  readonly site: string;
  /** The number of the first record. */
  readonly from: number;
  readonly answerMs: number;
}

export interface SiteSaid {
  /** Every record below this one is on disk. */
  readonly recorded: number;
  /** Of the sender, after it was told to end recording. */
  readonly sent: SenderState;
}

const recordsAtOnce = 50;
const startUs = 1_700_000_000_000_000;

const { folder, url, site, from, answerMs } = JSON.parse(process.argv[2] ?? '') as SiteOptions;
endWithStarter();
const archive = new Archive({
  folder,
  clock: systemClock,
  commitMs: 10,
  maxPendingBytes: 1 << 24,
  retention: { ofSeries: new Map() },
  limits: { records: 4096, textUnits: 1 << 20 },
  onFailure: (error) => {
    throw error;
  },
  onFault: () => undefined,
  onWarning: (text) => console.error(text),
});
await archive.open();

const bus = new BusConnection({
  clock: systemClock,
  address: parseBusAddress(url),
  name: site,
  inbox: `inbox.${site}`,
});
const store = new BusStore({ bus, answerMs });
const { port1, port2 } = new MessageChannel();
archive.serveSender(port1);
const link = new Link<OutgoingAccess, OutgoingClient>(messagePort(port2), { more: () => sender.more() });
let isEnding = false;
const onState = (sent: SenderState) => {
  if (isEnding) tellStarter({ sent });
};
const sender: Sender = new Sender({
  site,
  clock: systemClock,
  archive: link,
  store,
  areEpochsGiven: false,
  gatherMs: 20,
  onState,
});
bus.observe(({ isUp }) => {
  if (isUp) sender.retry();
});
bus.start();
sender.start();
process.on('message', () => {
  isEnding = true;
});

for (let next = from; !isEnding; next += recordsAtOnce) {
  const ofSeries = keys.map(() => new Batch());
  for (let number = next; number < next + recordsAtOnce; number++) {
    const key = number % keys.length;
    ofSeries[key]?.value(
      0,
      [number / 4, BigInt(number), `${number}`, number % 8 < 4][key] as Value,
      0xc0,
      startUs + 1000 * number,
    );
  }
  await Promise.all(ofSeries.map((batch, at) => archive.backfill(keys[at] as (typeof keys)[number], batch.take())));
  tellStarter({ recorded: next + recordsAtOnce });
  await new Promise((resolve) => systemClock.after(10, () => resolve(undefined)));
}
sender.more();
