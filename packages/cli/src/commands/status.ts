// `telltale status`: what is wrong with the service and its plant, for people and for monitoring.
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import { bytesText } from '../progress.ts';
import type { Cell } from '../terminal.ts';
import { stateCell } from '../words.ts';
import { leaderText } from './standby.ts';
import { readStatusFacts, type StatusFacts } from './status-facts.ts';
import { type Finding, findingsOf } from './status-findings.ts';

/** What `--json` prints. */
export interface Status extends StatusFacts {
  /** Whether nothing is wrong. */
  readonly ok: boolean;
  /** How many findings are wrong. */
  readonly wrong: number;
  readonly findings: readonly Finding[];
}

const mostInOneLine = 3;

export const status: CommandDeclaration = {
  path: ['status'],
  summary: 'Report what is wrong with the service and its plant, and what to know about it',
  arguments: [],
  options: [
    { name: 'exit-zero', summary: 'End with 0 also where something is wrong' },
    { name: 'strict', summary: 'Take what is only worth knowing, such as simulations, for wrong' },
  ],
  details:
    'Exit code 1 means that something is wrong: the service is not ready, a connector, provider, device or function module is ' +
    'down or has failed, the disk is nearly full, or data is damaged. Simulations, edits that are not rendered, alarms and ' +
    'stopped function modules are notes. Exit code 3 means that the service cannot be reached.',
  examples: ['telltale status', 'telltale status --strict > /dev/null'],
  run: async (call) => {
    const { terminal, options } = call;
    const facts = await readStatusFacts(call.client, call.signal);
    const findings = findingsOf(facts).map((each): Finding => {
      return options.has('strict') ? { ...each, level: 'wrong' } : each;
    });
    const wrong = findings.filter(({ level }) => level === 'wrong');
    if (terminal.isJson) {
      const found: Status = { ok: wrong.length === 0, wrong: wrong.length, findings, ...facts };
      await terminal.json(found);
    } else await print(call, facts, findings);
    if (wrong.length > 0 && !options.has('exit-zero')) throw new Refused(wrongText(wrong));
  },
};

function headline(wrong: readonly Finding[]): string {
  if (wrong.length === 0) return 'All is well.';
  return wrong.length === 1 ? '1 thing is wrong.' : `${wrong.length} things are wrong.`;
}

function wrongText(wrong: readonly Finding[]): string {
  const texts = wrong.slice(0, mostInOneLine).map(({ text }) => text);
  const more = wrong.length > mostInOneLine ? ` And ${wrong.length - mostInOneLine} more.` : '';
  return `${headline(wrong)} ${texts.join(' ')}${more}`;
}

async function print({ terminal }: Call, facts: StatusFacts, findings: readonly Finding[]): Promise<void> {
  const { upToDate, objects, links, modules, activeAlarms, disk } = facts;
  const wrong = findings.filter(({ level }) => level === 'wrong');
  await terminal.line({ text: headline(wrong), style: wrong.length === 0 ? 'green' : 'red' });
  for (const { level, text } of findings) {
    await terminal.line({ text: level.padEnd(7), style: level === 'wrong' ? 'red' : 'yellow' }, text);
  }
  await terminal.line('');
  const line = (title: string, ...cells: Cell[]) => terminal.line({ text: title.padEnd(15), style: 'bold' }, ...cells);
  await line('Telltale', `${facts.version} at ${facts.url}`);
  await line('Service', facts.notReady === null ? 'ready' : 'not ready');
  if (facts.node !== null)
    await line('Node', `${facts.node.node} of the site ${facts.node.site}; ${leaderText(facts.node)}`);
  await line('Access', facts.isOpen === null ? unknown : facts.isOpen ? openText : 'everybody signs in');
  await line('Configuration', upToDate === null ? unknown : upToDate ? 'runs' : 'differs from what runs');
  await line('Objects', objects === null ? unknown : objectsText(objects));
  await line('Connectors', links === null ? unknown : byState(links.filter(({ role }) => role === 'connector')));
  await line('Providers', links === null ? unknown : byState(links.filter(({ role }) => role === 'provider')));
  await line('Modules', modules === null ? unknown : byState(modules));
  await line('Active alarms', activeAlarms === null ? unknown : String(activeAlarms.length || 'none'));
  for (const { name, severity, state } of activeAlarms ?? []) {
    await line('', `${name}  severity ${severity}  `, stateCell(state));
  }
  await line('Disk', disk === null ? unknown : diskText(disk));
}

const openText: Cell = {
  text: 'open: every program of this machine may do everything; telltale access init closes it',
  style: 'yellow',
};

const unknown: Cell = { text: 'not known', style: 'yellow' };

function objectsText(objects: Readonly<Record<string, number>>): string {
  const counts = Object.entries(objects).filter(([, count]) => count > 0);
  const texts = counts.map(
    ([family, count]) => `${count} ${(count === 1 ? family.slice(0, -1) : family).replace('-', ' ')}`,
  );
  return texts.join(', ') || 'none';
}

/** Such as 3 up, 1 down. */
function byState(each: readonly { readonly state: string }[]): string {
  const counts = new Map<string, number>();
  for (const { state } of each) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Array.from(counts, ([state, count]) => `${count} ${state}`).join(', ') || 'none';
}

function diskText({ sizeBytes, freeBytes, archiveBytes, archiveMaxBytes }: NonNullable<StatusFacts['disk']>): string {
  const limit = archiveMaxBytes === null ? '' : ` of at most ${bytesText(archiveMaxBytes)}`;
  const free =
    freeBytes === null || sizeBytes === null ? '' : `; ${bytesText(freeBytes)} of ${bytesText(sizeBytes)} are free`;
  return `the archive has ${bytesText(archiveBytes)}${limit}${free}`;
}
