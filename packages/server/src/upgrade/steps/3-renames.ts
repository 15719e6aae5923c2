// Format 3: the configuration remembers which objects were renamed, until their history has followed.
import type { Step } from '../step.ts';

export const renames: Step = {
  format: 3,
  summary: 'objects can be renamed and keep their history',
  configuration: (sqlite) => {
    sqlite.exec(`CREATE TABLE IF NOT EXISTS renames (
      family TEXT NOT NULL,
      name TEXT NOT NULL,
      formerName TEXT NOT NULL,
      revision INTEGER,
      PRIMARY KEY (family, name)
    ) STRICT, WITHOUT ROWID`);
  },
};
