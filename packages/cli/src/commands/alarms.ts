// `telltale alarms`: their states, and what an operator does about them.
import { type AlarmOperation, type LiveAlarm, operations } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import { criteriaIn, isSelecting, plainNames, selectorOptions } from '../selector-options.ts';
import type { Cell } from '../terminal.ts';
import { isActive, stateCell, timeText } from '../words.ts';
import { namesIn } from './read.ts';

export const alarms: CommandDeclaration = {
  path: ['alarms'],
  summary: 'List alarms and their states, most severe first',
  arguments: [{ name: 'NAME', optional: true, names: 'alarms' }],
  repeatsFrom: 0,
  options: [{ name: 'active', summary: 'Only active alarms' }, ...selectorOptions.alarms],
  examples: [
    'telltale alarms --active',
    'telltale alarms --area works',
    'telltale alarms ack --all --area works',
    'telltale alarms ack tank1_level_high',
  ],
  run: list,
};

export const alarmOperationCommands: readonly CommandDeclaration[] = [
  acknowledging(operation('ack', 'acknowledge', 'is acknowledged')),
  { ...acknowledging(operation('acknowledge', 'acknowledge', 'is acknowledged')), isAlias: true },
  operation('activate', 'activate', 'is active'),
  operation('deactivate', 'deactivate', 'is not active'),
];

async function list(call: Call): Promise<void> {
  const { client, terminal, args, options, signal } = call;
  const found = await client.alarms.list({ ...criteriaIn(call), names: namesIn(args), signal });
  if (plainNames(call).length > 0 && Object.keys(found).length === 0)
    await refuseMissing(call, 'alarms', plainNames(call));
  const shown = Object.values(found)
    .filter(({ state }) => !options.has('active') || isActive(state))
    .sort(bySeverity);
  if (terminal.isJson) await terminal.json(Object.fromEntries(shown.map((alarm) => [alarm.name, alarm])));
  else if (shown.length === 0)
    await terminal.line(
      isSelecting(call) ? 'No alarm matches.' : options.has('active') ? 'No alarm is active.' : 'There are no alarms.',
    );
  else await terminal.table(['NAME', 'SEVERITY', 'STATE', 'SINCE', 'BY', 'DESCRIPTION'], shown.map(rowOf));
  await refuseMissing(call, 'alarms', missingOf(plainNames(call), found));
}

export function rowOf({ name, severity, state, t, authority, description }: LiveAlarm): Cell[] {
  return [name, String(severity), stateCell(state), timeText(t), authority, description];
}

/** The most severe first, and of these the newest. */
export function bySeverity(a: LiveAlarm, b: LiveAlarm): number {
  return a.severity - b.severity || b.t[0] - a.t[0] || b.t[1] - a.t[1];
}

/** Also of all that wait for it, or of those that are selected: they are looked up, and acknowledged by name. */
function acknowledging(command: CommandDeclaration): CommandDeclaration {
  return {
    ...command,
    arguments: [{ name: 'NAME', optional: true, names: 'alarms' }],
    options: [...command.options, { name: 'all', summary: 'All, also new ones' }, ...selectorOptions.alarms],
    examples: ['telltale alarms ack fire', "telltale alarms ack 'tank1_*'", 'telltale alarms ack --all --area works'],
    run: async (call) => {
      const { client, terminal, args, options, signal } = call;
      const isOfAll = options.has('all');
      if (isOfAll === args.length > 0) throw new UsageError('Either names of alarms, or --all.');
      if (!isOfAll && !isSelecting(call)) return command.run(call);
      const found = await client.alarms.list({ ...criteriaIn(call), names: namesIn(args), signal });
      await refuseMissing(call, 'alarms', missingOf(plainNames(call), found));
      const unacknowledged = Object.values(found).filter(({ state }) => state.endsWith('_UNACK'));
      if (unacknowledged.length > 0) return command.run({ ...call, args: unacknowledged.map(({ name }) => name) });
      if (terminal.isJson) await terminal.json({ operation: 'acknowledge', alarms: [] });
      else await terminal.line('No alarm that is selected waits to be acknowledged.');
    },
  };
}

function operation(word: string, name: AlarmOperation, done: string): CommandDeclaration {
  return {
    path: ['alarms', word],
    summary: operations[`${name}Alarm`].summary,
    arguments: [{ name: 'NAME', names: 'alarms' }],
    repeatsFrom: 0,
    options: [{ name: 'authority', value: 'WHO', summary: 'On whose authority; default: operator' }],
    run: async (call) => {
      const { client, terminal, args, options, signal } = call;
      const known = await client.alarms.list({ names: args, fields: ['name'], signal });
      await refuseMissing(call, 'alarms', missingOf(args, known));
      const operated: string[] = [];
      try {
        for (const alarm of args) {
          await client.alarms.operate(alarm, name, { authority: options.get('authority'), signal });
          operated.push(alarm);
          if (!terminal.isJson) await terminal.line(`${alarm} ${done}`);
        }
      } finally {
        // Where one fails, those before it are done all the same.
        if (terminal.isJson) await terminal.json({ operation: name, alarms: operated });
      }
    },
  };
}
