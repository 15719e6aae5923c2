// `telltale watch` and `telltale alarms watch`: every change as a line, until Ctrl-C.
import { type Channel, type NamedUpdate, TelltaleProblem, Unreachable, type Watch } from '@telltale/client';
import { onAbort } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import {
  commandCriteriaIn,
  criteriaIn,
  hasCriteria,
  isSelecting,
  plainNames,
  selectorOptions,
} from '../selector-options.ts';
import { WatchedPoints } from '../shown-points.ts';
import { liveText, qualityCell, stateCell, timeText } from '../words.ts';
import { namesIn } from './read.ts';

export const watch: CommandDeclaration = {
  path: ['watch'],
  summary: 'Show changes of measurements as they happen, until Ctrl-C',
  arguments: [{ name: 'NAME', optional: true, names: 'measurements' }],
  repeatsFrom: 0,
  options: [
    { name: 'all', summary: 'All measurements, including new ones' },
    { name: 'commands', summary: 'Watch commands instead' },
    ...selectorOptions.measurements,
  ],
  details:
    'What is selected is watched as it comes and goes: new points too, and --bad shows each that turns bad.\n' +
    'Piped, each update is one line of JSON; a lost connection is {"state": "lost"} until it is "connected" again.',
  examples: [
    'telltale watch tank1_level tank2_level',
    "telltale watch 'tank*' --bad",
    'telltale watch --area works',
    'telltale watch --all',
  ],
  isEndless: true,
  run: (call) => {
    if (call.options.has('all') === (call.args.length > 0 || hasCriteria(call)))
      throw new UsageError('The command is: telltale watch NAME…, or --all, or what is selected, such as --bad');
    return call.options.has('commands') ? followCommands(call) : followMeasurements(call);
  },
};

async function followMeasurements(call: Call): Promise<void> {
  const what = watchedBy(call, criteriaIn(call));
  const points = new WatchedPoints('measurements');
  await follow({
    call,
    family: 'measurements',
    start: (channel) => channel.watchMeasurements(what),
    print: async ({ name, vtq }) => {
      const value = liveText(vtq, points.of(name));
      const quality = qualityCell(vtq[2]);
      await call.terminal.line(timeText(vtq[1]), '  ', { text: name, style: 'bold' }, ' = ', value, '  ', quality);
    },
    points,
  });
}

async function followCommands(call: Call): Promise<void> {
  const what = watchedBy(call, commandCriteriaIn(call));
  const points = new WatchedPoints('commands');
  await follow({
    call,
    family: 'commands',
    start: (channel) => channel.watchCommands(what),
    print: async ({ name, vt }) => {
      const value = liveText(vt, points.of(name));
      await call.terminal.line(timeText(vt[1]), '  ', { text: name, style: 'bold' }, ' = ', value);
    },
    points,
  });
}

export const watchAlarms: CommandDeclaration = {
  path: ['alarms', 'watch'],
  summary: 'Show changes of alarms as they happen, until Ctrl-C',
  arguments: [{ name: 'NAME', optional: true, names: 'alarms' }],
  repeatsFrom: 0,
  options: [...selectorOptions.alarms],
  isEndless: true,
  run: async (call) => {
    const what = watchedBy(call, criteriaIn(call));
    await follow({
      call,
      family: 'alarms',
      start: (channel) => channel.watchAlarms(what),
      print: async ({ name, state, t, authority, severity, description }) => {
        await call.terminal.line(
          timeText(t),
          '  ',
          { text: name, style: 'bold' },
          ' ',
          stateCell(state),
          `  severity ${severity}, by ${authority}${description === '' ? '' : `: ${description}`}`,
        );
      },
    });
  },
};

/** Names alone are watched by name: the service says which of them there are. */
function watchedBy<Criteria extends object>(call: Call, criteria: Criteria) {
  if (isSelecting(call)) return { ...criteria, names: namesIn(call.args) };
  return call.args.length === 0 ? 'all' : call.args;
}

type Family = 'measurements' | 'commands' | 'alarms';

interface Followed<Update extends NamedUpdate> {
  readonly call: Call;
  readonly family: Family;
  readonly start: (channel: Channel) => Watch<Update>;
  readonly print: (update: Update) => Promise<void>;
  readonly points?: WatchedPoints;
}

/** Prints until the signal; a channel that was never there is an error, one that is lost is waited for. */
async function follow<Update extends NamedUpdate>(followed: Followed<Update>): Promise<void> {
  const { call, family, start, print, points } = followed;
  const awaited = isSelecting(call) ? plainNames(call) : [];
  const { client, terminal, signal } = call;
  const channel = client.channel();
  const stopListening = onAbort(signal, () => channel.close());
  try {
    await channel.request('Heartbeat', {}, { signal });
    channel.onState((state, reason) => {
      if (state === 'closed') return;
      if (channel.refusal !== undefined) return channel.close(); // it will not be back by itself
      points?.clear();
      if (terminal.isJson) terminal.jsonLine({ state });
      terminal.note(
        state === 'connected'
          ? 'The connection is back; the present values follow, changes in between were not seen.'
          : `The connection is lost (${reason}): what is shown is out of date. Trying again.`,
      );
    });
    for (const name of await missing(call, family, awaited)) {
      await report(call, { name, unknown: true }, `There is no ${family.slice(0, -1)} ${name}.`);
    }
    if (isSelecting(call) && !terminal.isJson && (await isNothing(call, family)))
      terminal.note('Nothing matches yet: what comes to match is shown.');
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
    if (channel.refusal !== undefined) throw channel.refusal;
  } catch (error) {
    if (error instanceof TelltaleProblem && error.problem === 'unknown-object') {
      await refuseMissing(call, family, call.args);
    }
    if (error instanceof Unreachable)
      throw new Unreachable(`${error.message} Check that Telltale runs, and the address.`, error);
    throw error;
  } finally {
    stopListening();
    channel.close();
  }
}

/** Of a selection: those of its names that may come later. */
async function missing({ client, signal }: Call, family: Family, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  return missingOf(names, await client[family as 'measurements'].list({ names, fields: ['name'], signal }));
}

/** Of a selection: whether nothing is in it now. */
async function isNothing(call: Call, family: Family): Promise<boolean> {
  const { client, args, signal } = call;
  const criteria = family === 'commands' ? commandCriteriaIn(call) : criteriaIn(call);
  const asked = { ...criteria, names: namesIn(args), fields: ['name'] as const, signal };
  return Object.keys(await client[family as 'measurements'].list(asked)).length === 0;
}

async function printOne<Update extends NamedUpdate>(
  { terminal }: Call,
  update: Update,
  print: (update: Update) => Promise<void>,
): Promise<void> {
  if (update.removed) await terminal.line({ text: `${update.name} is no longer configured`, style: 'yellow' });
  else if (update.left) await terminal.line({ text: `${update.name} no longer matches`, style: 'yellow' });
  else await print(update);
}

async function report({ terminal }: Call, document: object, text: string): Promise<void> {
  if (terminal.isJson) await terminal.jsonLine(document);
  else terminal.note(text);
}
