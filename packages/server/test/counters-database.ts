// The smallest database that is kept: a row a commit.
import { DurableDatabase, Tally } from '../src/sqlite/index.ts';

export interface Counters {
  readonly missing: readonly string[];
  readonly rows: number;
  /** One more; returns how many there are when it is on disk. */
  count(): number;
  close(): void;
}

export function openCounters(path: string): Counters {
  const kept = new DurableDatabase(path, {
    meaning: 'counters may be older than what was acknowledged',
    applicationId: 7,
    version: 1,
    create: (sqlite) => sqlite.exec('CREATE TABLE counters (number INTEGER PRIMARY KEY, text TEXT) STRICT'),
    mayBeGone: false,
    checkpointMs: 3,
  });
  const tally = new Tally();
  const rows = kept.sqlite.prepare('SELECT number, text FROM counters').all();
  for (const { number, text } of rows) tally.add('counters', `${number} ${text}`);
  kept.verify(tally);
  const insert = kept.sqlite.prepare('INSERT INTO counters VALUES (?, ?)');
  let last = rows.length;
  return {
    missing: kept.missing,
    rows: rows.length,
    count() {
      const text = 'x'.repeat(50 + (last % 500));
      kept.transaction(() => {
        insert.run(last + 1, text);
        kept.tally.add('counters', `${last + 1} ${text}`);
      });
      return ++last;
    },
    close: () => kept.close(),
  };
}
