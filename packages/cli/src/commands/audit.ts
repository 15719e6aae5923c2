// `telltale audit list|export|verify`: who did what, and whether the trail of it is whole.
import type { AuditFilter } from '@telltale/client';
import type { AuditRecord, TrailReport } from '@telltale/schema';
import { intervalOf, sinceOption, untilOption } from '../archive-options.ts';
import { type Call, type CommandDeclaration, type OptionDeclaration, Refused, UsageError } from '../declaration.ts';
import { writeFileWhole } from '../files.ts';
import { askServerProgram } from '../server-program.ts';
import type { Cell } from '../terminal.ts';
import { timeText } from '../words.ts';

const filterOptions: readonly OptionDeclaration[] = [
  sinceOption,
  untilOption,
  {
    name: 'who',
    value: 'IDENTITY',
    summary: 'Only of this identity, such as anna or token/report; anna* is a beginning',
  },
  { name: 'object', value: 'NAME', summary: 'Only of this object; pump_* is a beginning' },
  { name: 'operation', value: 'NAME', summary: 'Only this operation, such as writeCommand' },
  {
    name: 'result',
    value: 'WORD',
    summary: 'Only with this outcome: done, or the name of a problem, such as not-allowed',
  },
  { name: 'source', value: 'ADDRESS', summary: 'Only of requests from this address; 10.1.* is a beginning' },
];
const defaultLimit = 50;
const longestPage = 1000;

export const auditList: CommandDeclaration = {
  path: ['audit', 'list'],
  summary: 'List records of the audit trail, newest first',
  arguments: [],
  options: [...filterOptions, { name: 'limit', value: 'N', summary: `At most N records; default: ${defaultLimit}` }],
  examples: [
    'telltale audit list',
    'telltale audit list --who anna --since 1d',
    'telltale audit list --result not-allowed',
  ],
  run: async (call) => {
    const { terminal } = call;
    const records = await newest(call, readLimit(call));
    if (terminal.isJson) return terminal.json(records);
    const rows = records.map(rowOf);
    await terminal.table(['NUMBER', 'TIME', 'WHO', 'FROM', 'OPERATION', 'OBJECT', 'RESULT', 'CHANGE'], rows);
  },
};

export const auditExport: CommandDeclaration = {
  path: ['audit', 'export'],
  summary: 'Export the audit trail, oldest first, as lines of JSON or as CSV, to a file or to standard output',
  arguments: [{ name: 'FILE', optional: true }],
  options: [...filterOptions, { name: 'csv', summary: 'CSV instead of lines of JSON' }],
  examples: ['telltale audit export trail.jsonl', 'telltale audit export --csv --since 30d trail.csv'],
  run: async (call) => {
    const { args, options, client, terminal } = call;
    const { stream } = await client.audit.export(options.has('csv') ? 'csv' : 'json', filterOf(call));
    const file = args[0] ?? '-';
    if (file !== '-') await writeFileWhole(file, stream);
    else for await (const chunk of stream) await terminal.write(chunk);
    if (file !== '-' && !terminal.isJson) await terminal.line(`The records are in ${file}.`);
  },
};

export const auditVerify: CommandDeclaration = {
  path: ['audit', 'verify'],
  summary: 'Verify an audit trail: find every record that was changed, dropped or moved',
  arguments: [{ name: 'FOLDER', optional: true }],
  options: [{ name: 'key', value: 'FINGERPRINT', summary: 'Refuse what another key has signed' }],
  details:
    'FOLDER is a data folder, its folder audit, or a copy of that; default: TELLTALE_DATA, else ./data. It reads, and changes\n' +
    'nothing; the server may run. Exit code 1 means that something is wrong.',
  examples: ['telltale audit verify /var/lib/telltale', 'telltale audit verify /mnt/evidence/audit'],
  isLocal: true,
  run: async (call) => {
    const { args, terminal, environment, signal, options } = call;
    const folder = args[0] ?? environment.TELLTALE_DATA ?? './data';
    const report = JSON.parse(await askServerProgram('audit verify', ['verify-audit', folder], signal)) as TrailReport;
    const key = options.get('key')?.toLowerCase();
    const others = report.keys.filter((each) => key !== undefined && each !== key);
    const faults = [...report.faults, ...others.map((each) => `It is signed with another key, ${each}.`)];
    const count = report.faultCount + others.length;
    if (terminal.isJson) await terminal.json({ ...report, ok: count === 0, faults, faultCount: count });
    else await print(call, report, faults);
    if (count > 0) throw new Refused(count === 1 ? '1 thing is wrong.' : `${count} things are wrong.`);
  },
};

async function print({ terminal }: Call, report: TrailReport, faults: readonly string[]): Promise<void> {
  const { folder, records, first, last, heads, signedTo, keys, notes } = report;
  await terminal.line(
    `${folder}: ${records} records, ${first} to ${last}; ${heads} signatures, the last of record ${signedTo}.`,
  );
  for (const key of keys) await terminal.line(`Signed with the key ${key}.`);
  for (const note of notes) await terminal.line({ text: 'note   ', style: 'yellow' }, note);
  for (const fault of faults) await terminal.line({ text: 'wrong  ', style: 'red' }, fault);
  if (faults.length === 0)
    await terminal.line({ text: 'Every record is as it was written, and in its place.', style: 'green' });
}

async function newest({ client, ...call }: Call, limit: number): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  let before: number | undefined;
  while (records.length < limit) {
    const page = await client.audit.list({
      ...filterOf({ client, ...call }),
      limit: Math.min(longestPage, limit - records.length),
      ...(before !== undefined && { before }),
    });
    records.push(...page.records);
    before = page.next;
    if (before === undefined) break;
  }
  return records;
}

function filterOf(call: Call): AuditFilter {
  const { options, clock, signal } = call;
  const { since, until } = intervalOf(call, { since: 0 });
  const nowMs = clock.now() / 1000;
  return {
    since: options.has('since') ? secondsOf(since, nowMs) : undefined,
    until: until === undefined ? undefined : secondsOf(until, nowMs),
    who: options.get('who'),
    object: options.get('object'),
    operation: options.get('operation'),
    result: options.get('result'),
    source: options.get('source'),
    signal,
  };
}

function secondsOf(moment: ReturnType<typeof intervalOf>['since'], nowMs: number): number {
  if (moment instanceof Date) return moment.getTime() / 1000;
  if (typeof moment !== 'number') return moment[0] + moment[1] / 1e6;
  return moment < 0 ? nowMs / 1000 + moment : moment;
}

function readLimit({ options }: Call): number {
  const text = options.get('limit') ?? String(defaultLimit);
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError(`--limit is a whole number from 1 on, not ${JSON.stringify(text.slice(0, 60))}.`);
}

function rowOf({ seq, time, who, source = '', operation, object = '', result, ...more }: AuditRecord): Cell[] {
  const ms = Date.parse(time);
  const isDone = result === 'done';
  return [
    String(seq),
    timeText([Math.floor(ms / 1000), (ms % 1000) * 1000]),
    who,
    source,
    operation,
    object,
    isDone ? result : { text: result, style: 'red' },
    changeText(more),
  ];
}

const mostShown = 40;

function changeText({ old, new: now, reason }: Pick<AuditRecord, 'old' | 'new' | 'reason'>): string {
  const text = (value: unknown) => {
    const whole = typeof value === 'string' ? value : JSON.stringify(value);
    return whole.length > mostShown ? `${whole.slice(0, mostShown)}…` : whole;
  };
  const change = [old, now].filter((each) => each !== undefined).map(text);
  return [change.join(' → '), reason === undefined ? '' : `(${reason})`].filter((each) => each !== '').join(' ');
}
