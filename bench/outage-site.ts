// A site that has archived for long without a bus: fills a real archive, then is connected, and goes on recording while it sends.
import { MessageChannel } from 'node:worker_threads';
import { type Batch, form, systemClock, traitsOf } from '@telltale/schema';
import {
  Archive,
  type OutgoingAccess,
  type OutgoingClient,
  type Series,
} from '../packages/server/src/archive/index.ts';
import { BusConnection, BusStore, inboxOf, parseBusAddress } from '../packages/server/src/bus/index.ts';
import { Sender, type SenderState } from '../packages/server/src/store/sender.ts';
import { Link, messagePort } from '../packages/server/src/threads/index.ts';
import { endWithStarter, tellStarter } from '../packages/server/test/bus/part-process.ts';
import { bitsOf, Pattern } from './pattern-archive.ts';

export interface OutageSiteOptions {
  readonly folder: string;
  readonly url: string;
  readonly id: string;
  readonly points: number;
  /** Scans a second apart that were archived without a bus. */
  readonly scans: number;
  /** Of the first one. */
  readonly startMs: number;
}

export interface OutageSiteSaid {
  /** How many scans are in the archive. */
  readonly scans: number;
  /** As it is told of the sender, after any message. */
  readonly sent: SenderState;
}

const periodMs = 1000;
const scansAtOnce = 200;

const { folder, url, id, points, scans, startMs } = JSON.parse(process.argv[2] ?? '') as OutageSiteOptions;
endWithStarter();
const archive = new Archive({
  folder,
  clock: systemClock,
  commitMs: 50,
  maxPendingBytes: 1 << 28,
  retention: { ofSeries: new Map() },
  onFailure: (error) => {
    throw error;
  },
  onFault: () => undefined,
  onWarning: (text) => console.error(text),
});
await archive.open();
const pattern = new Pattern(points);
const refs = pattern.series.map((series) => archive.records.refOf(series));

function record(scan: number): void {
  const batch: Batch = archive.records.batch;
  const [values, qualities] = [pattern.valuesOf(scan), pattern.qualitiesOf(scan)];
  const longs = bitsOf(values);
  const timeUs = (startMs + scan * periodMs) * 1000;
  for (const [point, ref] of refs.entries()) {
    const quality = qualities[point] as number;
    if (isLong[point] === true) batch.long(ref, longs[point] as bigint, quality, timeUs);
    else batch.number(ref, values[point] as number, quality, timeUs);
  }
  archive.records.added();
}

const isLong = pattern.series.map(({ datatype }: Series) => traitsOf(datatype).form === form.long);
for (let scan = 0; scan < scans; scan++) {
  record(scan);
  if (scan % scansAtOnce !== scansAtOnce - 1) continue;
  await archive.stored();
  tellStarter({ scans: scan + 1 });
}
await archive.stored();

const bus = new BusConnection({ clock: systemClock, address: parseBusAddress(url), name: id, inbox: inboxOf(id) });
const { port1, port2 } = new MessageChannel();
archive.serveSender(port1);
const link = new Link<OutgoingAccess, OutgoingClient>(messagePort(port2), { more: () => sender.more() });
let sent: SenderState | undefined;
const onState = (state: SenderState) => {
  sent = state;
};
const sender = new Sender({
  site: id,
  clock: systemClock,
  archive: link,
  store: new BusStore({ bus }),
  areEpochsGiven: false,
  gatherMs: 1000,
  onState,
});
bus.observe(({ isUp }) => isUp && sender.retry());
bus.start();
sender.start();

let [recorded, isEnding] = [scans, false];
process.on('message', () => {
  isEnding = true;
});
function goOn(): void {
  if (!isEnding) while (startMs + recorded * periodMs <= Date.now()) record(recorded++);
  tellStarter({ scans: recorded, ...(sent && { sent }) });
  systemClock.after(200, goOn);
}
goOn();
