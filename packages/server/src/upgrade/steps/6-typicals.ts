// Format 6: the configuration remembers what was generated of types.
import type { Step } from '../step.ts';

export const typicals: Step = {
  format: 6,
  summary: 'objects can be generated of types',
  configuration: (sqlite) => {
    sqlite.exec(`CREATE TABLE IF NOT EXISTS typicals (
      type TEXT NOT NULL,
      family TEXT NOT NULL,
      madeName TEXT NOT NULL,
      name TEXT NOT NULL,
      instance TEXT NOT NULL,
      made TEXT NOT NULL,
      PRIMARY KEY (type, family, madeName),
      UNIQUE (family, name)
    ) STRICT, WITHOUT ROWID`);
    sqlite.exec(`CREATE TABLE IF NOT EXISTS typical_revisions (
      revision INTEGER PRIMARY KEY,
      made BLOB NOT NULL
    ) STRICT`);
  },
};
