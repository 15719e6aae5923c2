// What every grid says, in German.
import type { Words } from '../words.ts';

export const grid: Words['grid'] = {
  empty: 'Nichts anzuzeigen.',
  select: 'Ausgewählt',
  selectAll: 'Alle auswählen',
  selectNone: 'Auswahl aufheben',
  selected: (count) => `${count} ausgewählt`,
  columns: 'Spalten',
  usual: 'Wie am Anfang',
  earlier: (column) => `${column} nach vorne`,
  later: (column) => `${column} nach hinten`,
  sortBy: 'Sortieren nach',
  ascending: 'Aufsteigend',
  descending: 'Absteigend',
};
