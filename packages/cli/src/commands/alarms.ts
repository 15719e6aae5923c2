// `telltale alarms`: their states, and what an operator does about them.
import { type AlarmOperation, type LiveAlarm, operations } from '@telltale/schema';
import type { Call, CommandDeclaration } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import type { Cell } from '../terminal.ts';
import { isActive, stateCell, timeText } from '../words.ts';
import { namesIn } from './read.ts';

export const alarms: CommandDeclaration = {
  path: ['alarms'],
  summary: 'List alarms and their states, most severe first',
  arguments: [{ name: 'NAME', optional: true, names: 'alarms' }],
  repeatsFrom: 0,
  options: [{ name: 'active', summary: 'Only active alarms' }],
  examples: ['telltale alarms --active', 'telltale alarms ack tank1_level_high'],
  run: list,
};

export const alarmOperationCommands: readonly CommandDeclaration[] = [
  operation('ack', 'acknowledge', 'is acknowledged'),
  operation('activate', 'activate', 'is active'),
  operation('deactivate', 'deactivate', 'is not active'),
];

async function list(call: Call): Promise<void> {
  const { client, terminal, args, options, signal } = call;
  const found = await client.alarms.list({ names: namesIn(args), signal });
  if (args.length > 0 && Object.keys(found).length === 0) await refuseMissing(call, 'alarms', args);
  const shown = Object.values(found)
    .filter(({ state }) => !options.has('active') || isActive(state))
    .sort(bySeverity);
  if (terminal.isJson) await terminal.json(Object.fromEntries(shown.map((alarm) => [alarm.name, alarm])));
  else if (shown.length === 0)
    await terminal.line(options.has('active') ? 'No alarm is active.' : 'There are no alarms.');
  else await terminal.table(['NAME', 'SEVERITY', 'STATE', 'SINCE', 'BY', 'DESCRIPTION'], shown.map(rowOf));
  await refuseMissing(call, 'alarms', missingOf(args, found));
}

export function rowOf({ name, severity, state, t, authority, description }: LiveAlarm): Cell[] {
  return [name, String(severity), stateCell(state), timeText(t), authority, description];
}

/** The most severe first, and of these the newest. */
export function bySeverity(a: LiveAlarm, b: LiveAlarm): number {
  return a.severity - b.severity || b.t[0] - a.t[0] || b.t[1] - a.t[1];
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
