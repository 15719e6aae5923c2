// Format 10: process pictures and named trends are objects of the configuration.
import type { Step } from '../step.ts';

const edits = `changedAt INTEGER NOT NULL DEFAULT 0,
      changedBy TEXT NOT NULL DEFAULT '',
      PRIMARY KEY (name)`;

export const pictures: Step = {
  format: 10,
  summary: 'there are process pictures and named trends',
  configuration: (sqlite) => {
    sqlite.exec(`CREATE TABLE IF NOT EXISTS pictures (
      name TEXT NOT NULL,
      description TEXT,
      svg TEXT NOT NULL,
      parameters TEXT,
      area TEXT,
      properties TEXT,
      ${edits}
    ) STRICT, WITHOUT ROWID`);
    sqlite.exec(`CREATE TABLE IF NOT EXISTS trends (
      name TEXT NOT NULL,
      description TEXT,
      pens TEXT NOT NULL,
      axes TEXT,
      span INTEGER,
      area TEXT,
      properties TEXT,
      ${edits}
    ) STRICT, WITHOUT ROWID`);
  },
};
