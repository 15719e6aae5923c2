// Every command there is, in the order in which the help lists them.
import { accessCommands } from './commands/access.ts';
import { alarmHistory } from './commands/alarm-history.ts';
import { alarmOperationCommands, alarms } from './commands/alarms.ts';
import { approvalCommands } from './commands/approvals.ts';
import { archiveCheck, archiveCompact, archiveErase, archiveStats } from './commands/archive-care.ts';
import { archiveExport, archiveImport } from './commands/archive-files.ts';
import { archiveMove } from './commands/archive-move.ts';
import { areas } from './commands/areas.ts';
import { auditExport, auditList, auditVerify } from './commands/audit.ts';
import { browse } from './commands/browse.ts';
import { busMemberCommands } from './commands/bus-members.ts';
import { certificateOperationCommands, certificates, showCertificates } from './commands/certificates.ts';
import { configBlame } from './commands/config-blame.ts';
import { configCopy } from './commands/config-copy.ts';
import { configGenerate, configTypicals } from './commands/config-generate.ts';
import { configMissing } from './commands/config-missing.ts';
import { configDelete, configGet, configPut } from './commands/config-objects.ts';
import { configRename } from './commands/config-rename.ts';
import { configDiscard, configRestore } from './commands/config-restore.ts';
import { configDiff, configRender, configRevisions } from './commands/config-revisions.ts';
import { configSet } from './commands/config-set.ts';
import { configExport, configImport } from './commands/config-whole.ts';
import { connectors, linkOperationCommands, providers } from './commands/connectors.ts';
import { contextCommands } from './commands/context.ts';
import { doctor } from './commands/doctor.ts';
import { explain } from './commands/explain.ts';
import { history } from './commands/history.ts';
import { login, logout, whoami } from './commands/login.ts';
import { moduleLog } from './commands/module-log.ts';
import { moduleNew } from './commands/module-new.ts';
import { moduleOperationCommands, moduleStatus } from './commands/module-status.ts';
import { modulePack, moduleUpload } from './commands/module-upload.ts';
import { read } from './commands/read.ts';
import { roleCommands } from './commands/roles.ts';
import { secondFactorCommands } from './commands/second-factors.ts';
import { secretCommands } from './commands/secret.ts';
import { settings } from './commands/settings.ts';
import { simulate } from './commands/simulate.ts';
import { siteCommands } from './commands/sites.ts';
import { stacks } from './commands/stacks.ts';
import { standbyCommands } from './commands/standby.ts';
import { status } from './commands/status.ts';
import { tokenCommands } from './commands/tokens.ts';
import { userCommands } from './commands/users.ts';
import { watch, watchAlarms } from './commands/watch.ts';
import { write } from './commands/write.ts';
import { completionCommands } from './completion.ts';
import type { CommandDeclaration, OptionDeclaration } from './declaration.ts';
import { helpText } from './help.ts';

export const globalOptions: readonly OptionDeclaration[] = [
  {
    name: 'url',
    value: 'URL',
    summary: 'URL of the service; default: TELLTALE_URL, else a context, else http://127.0.0.1:8080/',
  },
  {
    name: 'context',
    value: 'NAME',
    names: 'contexts',
    summary: 'Service of telltale context add; default: TELLTALE_CONTEXT, else the current one',
  },
  {
    name: 'token-file',
    value: 'FILE',
    summary: 'Ask with the token in a file; default: TELLTALE_TOKEN, else that of telltale login',
  },
  {
    name: 'ca-file',
    value: 'FILE',
    summary: 'Trust the certificates in a file (PEM) as well; default: TELLTALE_CA_FILE, else that of the context',
  },
  { name: 'json', summary: 'Print JSON on a terminal, too' },
  { name: 'no-color', summary: 'No colours; NO_COLOR does the same' },
  { name: 'timeout', value: 'DURATION', summary: 'Timeout of a request, such as 2m; default: 30s' },
  { name: 'help', summary: 'Show help' },
  { name: 'version', summary: 'Show the version' },
];

const help: CommandDeclaration = {
  path: ['help'],
  summary: 'List the commands, or show the help on one',
  arguments: [{ name: 'COMMAND', optional: true, names: 'commands in all' }],
  repeatsFrom: 0,
  options: [],
  isLocal: true,
  run: async ({ terminal, args }) => terminal.write(helpText(args, commands, globalOptions)),
};

export const commands: readonly CommandDeclaration[] = [
  read,
  watch,
  history,
  write,
  simulate,
  ...approvalCommands,
  alarms,
  ...alarmOperationCommands,
  alarmHistory,
  watchAlarms,
  areas,
  ...siteCommands,
  explain,
  connectors,
  ...linkOperationCommands.connectors,
  providers,
  ...linkOperationCommands.providers,
  certificates,
  showCertificates,
  ...certificateOperationCommands,
  ...secretCommands,
  browse,
  stacks,
  moduleStatus,
  moduleLog,
  ...moduleOperationCommands,
  moduleNew,
  moduleUpload,
  modulePack,
  archiveStats,
  archiveCheck,
  archiveExport,
  archiveImport,
  archiveErase,
  archiveCompact,
  archiveMove,
  configGet,
  configPut,
  configSet,
  configDelete,
  configRename,
  configCopy,
  configGenerate,
  configTypicals,
  configExport,
  configImport,
  configDiff,
  configRender,
  configRevisions,
  configBlame,
  configRestore,
  configDiscard,
  configMissing,
  auditList,
  auditExport,
  auditVerify,
  status,
  ...standbyCommands,
  settings,
  doctor,
  login,
  logout,
  whoami,
  ...busMemberCommands,
  ...userCommands,
  ...roleCommands,
  ...secondFactorCommands,
  ...tokenCommands,
  ...accessCommands,
  ...contextCommands,
  ...completionCommands(() => ({ commands, globalOptions })),
  help,
];
