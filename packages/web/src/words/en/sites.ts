// What the list of sites says, in English.
export const sites = {
  conditions: { down: 'away', twice: 'there twice', unsent: 'not stored', clock: 'clock wrong', up: 'there' },
  notUp: 'Not well',
  notWell: (count: number) => `${count} not well`,
  filter: 'Name, version or cause',
  lag: 'Lag',
  waiting: 'Waiting',
  lost: 'Lost',
  clock: 'Clock',
  cause: 'Cause',
  none: 'No site has been heard of yet.',
  noCentre: 'This server is no centre: it has no sites.',
  guide: 'Sites and a centre',
  noMatch: 'No site matches the filters.',
};
