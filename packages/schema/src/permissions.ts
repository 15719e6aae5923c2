// What people and programs may be permitted. Roles and grants are in access.ts.

/** What each permits. An operation of the catalogue needs one of them, or states that it needs none. */
export const permissions = {
  view: 'See measurements, commands, alarms, their history, and the state of connectors, providers and function modules',
  diagnose: 'Explain values, browse devices, read the logs of function modules',
  write: 'Write commands',
  acknowledge: 'Acknowledge alarms',
  'operate-alarm': 'Activate and deactivate alarms',
  simulate: 'Simulate measurements',
  'operate-link': 'Restart, disable and enable connectors and providers',
  'operate-module': 'Start, stop and restart function modules',
  'import-archive': 'Import records into the archive',
  'erase-archive': 'Erase records of the archive',
  'read-config': 'Read the configuration and its revisions',
  configure: 'Change the configuration',
  render: 'Render the configuration, so that it runs',
  'install-code':
    'Upload executables, and set executable, env, and the properties reads, writes and sha256 of function modules; move modules',
  'set-secret': 'Set secrets of connectors and providers',
  approve: 'Approve what another person has requested',
  'read-audit': 'Read the audit trail',
  'manage-users': 'Manage users, roles, tokens, sessions and certificates of clients',
  'read-metrics': 'Read the metrics',
} as const;
export type Permission = keyof typeof permissions;
export const permissionNames = Object.keys(permissions) as Permission[];
