// What every grid says, in English.
export const grid = {
  empty: 'Nothing to show.',
  select: 'Selected',
  selectAll: 'Select all',
  selectNone: 'Select none',
  selected: (count: number) => `${count} selected`,
  columns: 'Columns',
  usual: 'As at first',
  earlier: (column: string) => `Move ${column} forward`,
  later: (column: string) => `Move ${column} back`,
  sortBy: 'Sort by',
  ascending: 'Ascending',
  descending: 'Descending',
};
