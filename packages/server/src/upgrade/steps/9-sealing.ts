// Format 9: secrets in variables are sealed, and the configuration remembers how. A server that does not know of it would send
// what is sealed as a password.
import type { Step } from '../step.ts';

export const sealing: Step = {
  format: 9,
  summary: 'secrets in variables are sealed',
  configuration: (sqlite) => {
    sqlite.exec('CREATE TABLE IF NOT EXISTS sealing (mark TEXT NOT NULL) STRICT');
  },
};
