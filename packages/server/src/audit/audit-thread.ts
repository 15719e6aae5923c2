// The thread that keeps the audit trail: its disk writes and searches never hold up live values.
import { join } from 'node:path';
import { parentLink } from '../threads/index.ts';
import type { AuditThread } from './protocol.ts';
import { TrailReader } from './trail-query.ts';
import { TrailWriter, trailFolder } from './trail-writer.ts';

function main(): void {
  let writer: TrailWriter | undefined;
  let reader: TrailReader | undefined;
  parentLink<object, AuditThread>({
    open(options, nowMs) {
      writer = new TrailWriter(options, nowMs);
      reader = new TrailReader(join(options.folder, trailFolder));
      return writer.opened;
    },
    commit(records, nowMs) {
      try {
        writer?.commit(records, nowMs);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    sign: (nowMs) => writer?.sign(nowMs),
    cut: (beforeMs, nowMs) => writer?.cut(beforeMs, nowMs),
    acknowledgeMissing: () => writer?.acknowledgeMissing(),
    read: async (query, from, call) => (await reader?.page(query, from, call.signal)) ?? { lines: [], next: undefined },
    close(nowMs) {
      const head = writer?.sign(nowMs);
      writer?.close();
      return head;
    },
  });
}

main();
