// Runs as a process of its own, whose files cannot grow beyond a limit: records until the disk refuses, then says which records
// were written.
import { systemClock } from '@telltale/schema';
import { AuditTrail } from '../src/audit/index.ts';

const [, , folder = ''] = process.argv;
process.on('SIGXFSZ', () => {});
const trail = new AuditTrail({
  folder,
  clock: systemClock,
  onFailure: (error) => {
    throw error;
  },
  onFault: () => {},
});
await trail.open();
const written: string[] = [];
for (let at = 0; at < 400; at++) {
  const object = `v${at}`;
  const entry = {
    who: 'anna',
    kind: 'user',
    operation: 'writeCommand',
    object,
    reason: 'x'.repeat(500),
    result: 'done',
  } as const;
  if (await trail.record(entry)) written.push(object);
  else if (written.length > 0) break;
}
console.log(JSON.stringify({ written, failure: trail.failure ?? '' }));
await trail.close(1000);
