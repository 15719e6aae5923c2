// `telltale archive move`: the archive of a stopped server to a store, and back. The server's own program moves it; how far it is
// is shown here.
import type { ArchiveKind } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { Progress, recordsText } from '../progress.ts';
import { followServerProgram } from '../server-program.ts';

interface Step {
  readonly step: 'sending' | 'bringing' | 'comparing';
  readonly done: number;
  readonly total: number;
  readonly waitsFor?: string;
}

interface Moved {
  readonly site: { readonly id: string; readonly name: string };
  readonly names: number;
  readonly records: number;
  readonly differences: readonly Difference[];
}

interface Difference {
  readonly kind: ArchiveKind;
  readonly name: string;
  readonly here: number;
  readonly there: number;
}

const settings = ['data', 'site'] as const;
const shownDifferences = 10;

export const archiveMove: CommandDeclaration = {
  path: ['archive', 'move'],
  summary: 'Move the archive of a stopped server to PostgreSQL, or back',
  arguments: [],
  options: [
    {
      name: 'to',
      value: 'ADDRESS',
      summary: 'PostgreSQL that gets all records: postgresql://archiver@db.example/plant',
    },
    { name: 'from', value: 'ADDRESS', summary: 'PostgreSQL whose records become the archive of the data folder' },
    { name: 'data', value: 'FOLDER', summary: 'Data folder of the server; default: TELLTALE_DATA, else ./data' },
    {
      name: 'site',
      value: 'NAME',
      summary: 'The site in the store; default: that of the data folder, or of the machine',
    },
  ],
  details:
    'Run it on the machine of the server, as its user, while the server is stopped. When all is there, the two are compared,\n' +
    'each name by its records, bit by bit. Interrupted, it goes on where it was when it is run again. What is moved to a store\n' +
    'stays in the data folder as well, until --archive-retention of the server removes it.',
  examples: [
    'telltale archive move --to postgresql://archiver@db.example/plant --data /var/lib/telltale',
    'telltale archive move --from postgresql://archiver@db.example/plant --data /var/lib/telltale --site works',
  ],
  isLocal: true,
  run: async (call) => {
    const moved = await follow(call);
    if (call.terminal.isJson) await call.terminal.json(moved);
    else await print(call, moved);
    const { differences } = moved;
    if (differences.length > 0)
      throw new Refused(`${names(differences.length)} not the same in both: nothing was removed.`);
  },
};

function argsOf({ options }: Call): string[] {
  const [to, from] = [options.get('to'), options.get('from')];
  if ((to === undefined) === (from === undefined)) throw new UsageError('Either --to ADDRESS or --from ADDRESS.');
  const given = settings.flatMap((name) => {
    const value = options.get(name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  return [to === undefined ? 'from' : 'to', `--store=${to ?? from}`, ...given];
}

async function follow(call: Call): Promise<Moved> {
  let [progress, shown, told] = [undefined as Progress | undefined, undefined as Step | undefined, ''];
  try {
    for await (const line of followServerProgram<Step | Moved>(
      'archive move',
      ['move-archive', ...argsOf(call)],
      call.signal,
    )) {
      if (!('step' in line)) return line;
      const { step, done, total, waitsFor = '' } = line;
      if (step !== shown?.step || total !== shown.total) {
        progress?.end();
        progress = new Progress(call, step, total, recordsText);
      }
      progress?.add(done - (progress.done ?? 0));
      if (waitsFor !== '' && waitsFor !== told) call.terminal.note(`Waiting: ${waitsFor}`);
      [shown, told] = [line, waitsFor];
    }
  } finally {
    progress?.end();
  }
  throw new Refused('The server program has ended without a result.');
}

async function print({ terminal }: Call, { site, names: count, records, differences }: Moved): Promise<void> {
  for (const { kind, name, here, there } of differences.slice(0, shownDifferences)) {
    await terminal.line(
      { text: 'Different', style: 'red' },
      `  ${kind} ${name}: ${recordsText(here)} here, ${recordsText(there)} in the store`,
    );
  }
  if (differences.length > shownDifferences) await terminal.line(`… and ${differences.length - shownDifferences} more`);
  if (differences.length > 0) return;
  await terminal.line(
    `${recordsText(records)} of ${count.toLocaleString('en-US')} names are the same here and in the store, as site ${site.name} (${site.id}).`,
  );
}

const names = (count: number) => (count === 1 ? '1 name is' : `${count} names are`);
