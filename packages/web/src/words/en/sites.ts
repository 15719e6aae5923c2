// What the list of sites says, in English.
export const sites = {
  conditions: { down: 'away', twice: 'there twice', unsent: 'not stored', clock: 'clock wrong', up: 'there' },
  notUp: 'not well',
  filter: 'Name, version or cause',
  lag: 'Lag',
  waiting: 'Waiting',
  lost: 'Lost',
  clock: 'Clock',
  cause: 'Cause',
  none: 'No site has been heard of.',
  noMatch: 'No site matches the filters.',
};
