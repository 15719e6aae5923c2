// What the list of sites says, in German.
import type { Words } from '../words.ts';

export const sites: Words['sites'] = {
  conditions: { down: 'nicht da', twice: 'doppelt', unsent: 'sendet nicht', clock: 'Uhr falsch', up: 'da' },
  notUp: 'Nicht in Ordnung',
  notWell: (count) => `${count} nicht in Ordnung`,
  filter: 'Name, Version oder Ursache',
  lag: 'Rückstand',
  waiting: 'Wartend',
  lost: 'Verloren',
  clock: 'Uhr',
  cause: 'Ursache',
  none: 'Es hat sich noch kein Standort gemeldet.',
  noCentre: 'Dieser Server ist keine Zentrale: er hat keine Standorte.',
  guide: 'Standorte und Zentrale',
  noMatch: 'Kein Standort passt zu den Filtern.',
};
