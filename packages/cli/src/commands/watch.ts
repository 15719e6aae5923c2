// `telltale watch` and `telltale alarms watch`: every change as a line, until Ctrl-C.
import {
  type Channel,
  type NamedUpdate,
  TelltaleProblem,
  Unreachable,
  type Watch,
  type WatchedNames,
} from '@telltale/client';
import { onAbort } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { refuseMissing } from '../known-names.ts';
import { WatchedPoints } from '../shown-points.ts';
import { liveText, qualityCell, stateCell, timeText } from '../words.ts';

export const watch: CommandDeclaration = {
  path: ['watch'],
  summary: 'Show changes of measurements as they happen, until Ctrl-C',
  arguments: [{ name: 'NAME', optional: true, names: 'measurements' }],
  repeatsFrom: 0,
  options: [
    { name: 'all', summary: 'All measurements, including new ones' },
    { name: 'commands', summary: 'Watch commands instead' },
  ],
  details:
    'Piped, each update is one line of JSON; a lost connection is {"state": "lost"} until it is "connected" again.',
  examples: ['telltale watch tank1_level tank2_level', 'telltale watch --all'],
  isEndless: true,
  run: async (call) => {
    const { args, options, terminal } = call;
    if (options.has('all') === args.length > 0) throw new UsageError('The command is: telltale watch NAME…, or --all');
    const names = options.has('all') ? 'all' : args;
    const points = new WatchedPoints(options.has('commands') ? 'commands' : 'measurements');
    if (options.has('commands')) {
      await follow(
        call,
        'commands',
        names,
        (channel) => channel.watchCommands(names),
        async ({ name, vt }) => {
          const value = liveText(vt, points.of(name));
          await terminal.line(timeText(vt[1]), '  ', { text: name, style: 'bold' }, ' = ', value);
        },
        points,
      );
    } else {
      await follow(
        call,
        'measurements',
        names,
        (channel) => channel.watchMeasurements(names),
        async ({ name, vtq }) => {
          await terminal.line(
            timeText(vtq[1]),
            '  ',
            { text: name, style: 'bold' },
            ' = ',
            liveText(vtq, points.of(name)),
            '  ',
            qualityCell(vtq[2]),
          );
        },
        points,
      );
    }
  },
};

export const watchAlarms: CommandDeclaration = {
  path: ['alarms', 'watch'],
  summary: 'Show changes of alarms as they happen, until Ctrl-C',
  arguments: [{ name: 'NAME', optional: true, names: 'alarms' }],
  repeatsFrom: 0,
  options: [],
  isEndless: true,
  run: async (call) => {
    const names = call.args.length === 0 ? 'all' : call.args;
    await follow(
      call,
      'alarms',
      names,
      (channel) => channel.watchAlarms(names),
      async (change) => {
        const { name, state, t, authority, severity, description } = change;
        await call.terminal.line(
          timeText(t),
          '  ',
          { text: name, style: 'bold' },
          ' ',
          stateCell(state),
          `  severity ${severity}, by ${authority}${description === '' ? '' : `: ${description}`}`,
        );
      },
    );
  },
};

/** Prints until the signal; a channel that was never there is an error, one that is lost is waited for. */
async function follow<Update extends NamedUpdate>(
  call: Call,
  family: 'measurements' | 'commands' | 'alarms',
  names: WatchedNames,
  start: (channel: Channel) => Watch<Update>,
  print: (update: Update) => Promise<void>,
  points?: WatchedPoints,
): Promise<void> {
  const { client, terminal, signal } = call;
  const channel = client.channel();
  const stopListening = onAbort(signal, () => channel.close());
  try {
    await channel.request('Heartbeat', {}, { signal });
    channel.onState((state, reason) => {
      if (state === 'closed') return;
      points?.clear();
      if (terminal.isJson) terminal.jsonLine({ state });
      terminal.note(
        state === 'connected'
          ? 'The connection is back; the present values follow, changes in between were not seen.'
          : `The connection is lost (${reason}): what is shown is out of date. Trying again.`,
      );
    });
    for await (const { updates, skipped, refused } of start(channel)) {
      const named = updates.filter(({ removed }) => !removed).map(({ name }) => name);
      if (!terminal.isJson) await points?.learn(channel, named, signal);
      for (const update of updates) await (terminal.isJson ? terminal.jsonLine(update) : printOne(call, update, print));
      if (skipped > 0)
        await report(
          call,
          { skipped },
          `${skipped} updates were skipped: they arrived faster than they could be shown.`,
        );
      for (const { name, error } of refused) {
        const problem = error && new TelltaleProblem(error);
        if (problem?.problem === 'unknown-object')
          await report(call, { name, unknown: true }, `There is no ${family.slice(0, -1)} ${name}.`);
        else await report(call, { name, error }, `${name} is not watched: ${problem?.message}`);
      }
    }
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'unknown-object' && names !== 'all') {
      await refuseMissing(call, family, names);
    }
    if (error instanceof Unreachable)
      throw new Unreachable(`${error.message} Check that Telltale runs, and the address.`, error);
    throw error;
  } finally {
    stopListening();
    channel.close();
  }
}

async function printOne<Update extends NamedUpdate>(
  { terminal }: Call,
  update: Update,
  print: (update: Update) => Promise<void>,
): Promise<void> {
  if (update.removed) await terminal.line({ text: `${update.name} is no longer configured`, style: 'yellow' });
  else await print(update);
}

async function report({ terminal }: Call, document: object, text: string): Promise<void> {
  if (terminal.isJson) await terminal.jsonLine(document);
  else terminal.note(text);
}
