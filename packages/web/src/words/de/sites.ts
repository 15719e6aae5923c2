// What the list of sites says, in German.
import type { Words } from '../words.ts';

export const sites: Words['sites'] = {
  conditions: { down: 'nicht da', twice: 'doppelt', unsent: 'sendet nicht', clock: 'Uhr falsch', up: 'da' },
  notUp: 'nicht in Ordnung',
  filter: 'Name, Version oder Ursache',
  lag: 'Verzug',
  waiting: 'Wartend',
  lost: 'Verlust',
  clock: 'Uhr',
  cause: 'Ursache',
  none: 'Es hat sich kein Standort gemeldet.',
  noMatch: 'Kein Standort passt zu den Filtern.',
};
