// What a record costs on the line of a site, by how many of each series go in a parcel: the parcel, and the lines of NATS around it.
import { inboxOf, uplink } from '../packages/server/src/bus/subjects.ts';
import { type DataSet, makeData, randomSource } from './archive-data.ts';
import { atMost, type Benchmark } from './measure.ts';
import { parcelsOf, storeData } from './store-data.ts';

const seriesCount = 1000;
const parcels = 20;
/** As long as those that servers draw. */
const site = '0123456789abcdef';
const bounds = [
  { scans: 1, bytes: 5.2 },
  { scans: 10, bytes: 1.5 },
  { scans: 60, bytes: 1.0 },
];

export const uplinkBytes: Benchmark = {
  name: 'uplink-bytes',
  title: 'Bytes a record on the line of a site',
  async run() {
    return bounds.map(({ scans, bytes }) => {
      const data = storeData(underWay(makeData(seriesCount, scans * (parcels + 1), 'shared')));
      // The first one brings the names, once.
      const [, ...sent] = [...parcelsOf(data, site, 1, scans)].map(
        (parcel, at) => parcel.length + aroundBytes(at, parcel),
      );
      const all = sent.reduce((sum, each) => sum + each, 0);
      const what = `bytes a record, ${seriesCount} series with ${scans} of each in a parcel, times shared`;
      return atMost(what, all / (sent.length * seriesCount * scans), bytes);
    });
  },
};

/** Of a plant that has run for long: decimals are anywhere in their range, and what is counted has come far. */
function underWay(data: DataSet): DataSet {
  const { series, values } = data;
  const random = randomSource(2);
  const levels = series.map(() => random() % 10_000);
  for (let at = 0; at < values.length; at++) {
    const index = at % series.length;
    const [place, level, value] = [index % 20, levels[index] as number, values[at] as number];
    if (place < 12) values[at] = Math.round(100 * value + level) / 100;
    else if (place < 16) values[at] = value + level * (place < 14 ? 1000 : 1);
  }
  return data;
}

/** The request around a parcel, and its answer. */
function aroundBytes(seq: number, parcel: Buffer): number {
  const inbox = `${inboxOf(site)}.${'n'.repeat(22)}.${seq}`;
  const result = JSON.stringify({ result: { seq, position: `${seq}` } });
  const request = `PUB ${uplink.parcel(site, 1, seq)} ${inbox} ${parcel.length}\r\n\r\n`;
  return request.length + `MSG ${inbox} 1 ${result.length}\r\n${result}\r\n`.length;
}
