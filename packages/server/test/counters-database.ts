// The smallest database that is kept: a row a commit.
import { DurableDatabase, RowChecksums } from '../src/sqlite/index.ts';

export interface Counters {
  readonly missing: readonly string[];
  readonly rows: number;
  /** One more; returns how many there are when it is on disk. */
  count(): number;
  close(): void;
}

export function openCounters(path: string): Counters {
  const durable = new DurableDatabase(path, {
    meaning: 'counters may be older than what was acknowledged',
    applicationId: 7,
    version: 1,
    create: (sqlite) => sqlite.exec('CREATE TABLE counters (number INTEGER PRIMARY KEY, text TEXT) STRICT'),
    mayBeGone: false,
    checkpointMs: 3,
  });
  const checksums = new RowChecksums();
  const rows = durable.sqlite.prepare('SELECT number, text FROM counters').all();
  for (const { number, text } of rows) checksums.add('counters', `${number} ${text}`);
  durable.verify(checksums);
  const insert = durable.sqlite.prepare('INSERT INTO counters VALUES (?, ?)');
  let last = rows.length;
  return {
    missing: durable.missing,
    rows: rows.length,
    count() {
      const text = 'x'.repeat(50 + (last % 500));
      durable.transaction(() => {
        insert.run(last + 1, text);
        durable.checksums.add('counters', `${last + 1} ${text}`);
      });
      return ++last;
    },
    close: () => durable.close(),
  };
}
