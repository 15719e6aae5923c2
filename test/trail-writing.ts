// A process that records writes in an audit trail as fast as it can, and prints the number of each that is on disk:
// node trail-writing.ts FOLDER FIRST. It is made to be killed.
import { writeSync } from 'node:fs';
import { systemClock } from '@telltale/schema';
import { AuditTrail } from '../packages/server/src/audit/index.ts';

const [folder = '', first = '0'] = process.argv.slice(2);
const writers = 4;
/** So that there are new ones all the time. */
const segmentBytes = 16 << 10;

const trail = new AuditTrail({
  folder,
  clock: systemClock,
  segmentBytes,
  onFailure: (error) => {
    throw error;
  },
  onFault: () => undefined,
});
await trail.open();
let next = Number(first);
await Promise.all(
  Array.from({ length: writers }, async () => {
    for (;;) {
      const number = next++;
      const operation = 'writeCommand';
      const isWritten = await trail.record({ who: 'anna', kind: 'user', operation, new: number, result: 'done' });
      if (isWritten) writeSync(1, `${number}\n`);
      if (number % 50 === 0) await trail.sign();
    }
  }),
);
