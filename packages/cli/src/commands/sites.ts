// `telltale sites`: the sites of a centre, and what all of them have together.
import { type AlarmState, alarmStates, type CentreSite, type IncompleteSite } from '@telltale/schema';
import { intervalOf, readCount, secondsOf, sinceOption, untilOption } from '../archive-options.ts';
import type { Call, CommandDeclaration, OptionDeclaration } from '../declaration.ts';
import { criteriaIn, selectorOptions } from '../selector-options.ts';
import type { Cell } from '../terminal.ts';
import { stateCell, timeText } from '../words.ts';
import { namesIn } from './read.ts';

const siteOption: OptionDeclaration = {
  name: 'of-sites',
  value: 'SITE,…',
  summary: 'Only of these sites, by id or name',
};
const limitOption = (usual: number): OptionDeclaration => ({
  name: 'limit',
  value: 'N',
  summary: `How many at most; default: ${usual}`,
});
const usualTransitions = 100;
const names = [{ name: 'NAME', optional: true }] as const;

const list: CommandDeclaration = {
  path: ['sites'],
  summary: 'List the sites of a centre: whether each is there, and what of its archive the store has',
  arguments: [],
  options: [],
  examples: ['telltale sites'],
  run: async ({ client, terminal, signal }) => {
    const found = await client.sites.list({ signal });
    const all = Object.values(found);
    if (terminal.isJson) await terminal.json(found);
    else if (all.length === 0) await terminal.line('There are no sites that you may view, or this is no centre.');
    else
      await terminal.table(
        ['NAME', 'ID', 'STATE', 'SINCE', 'BAD', 'ACTIVE', 'LAG', 'WAITING', 'LOST'],
        all.map(siteRow),
      );
    for (const { name, error } of all) if (error !== null) terminal.note(`${name} is away: ${error}`);
  },
};

const alarms: CommandDeclaration = {
  path: ['sites', 'alarms'],
  summary: 'List the alarms of all sites that are active or wait to be acknowledged, most severe first',
  arguments: names,
  repeatsFrom: 0,
  options: [siteOption, ...selectorOptions.alarms, limitOption(1000)],
  examples: ['telltale sites alarms', 'telltale sites alarms --of-sites north --area works'],
  run: async (call) => {
    const { client, terminal } = call;
    const { quality: _, datatype: __, ...criteria } = criteriaIn(call);
    const found = await client.sites.alarms({ ...wantedOf(call), ...criteria });
    if (terminal.isJson) {
      await terminal.json(found);
      return;
    }
    const rows = found.alarms.map((alarm) => {
      const { name, severity, state, t, authority, description } = alarm;
      const known = alarm['is-live'] ? stateCell(state) : `${state} when last heard`;
      return [alarm['site-name'], name, String(severity), known, timeText(t), authority, description];
    });
    if (rows.length === 0) await terminal.line('No alarm of a site is active, or waits to be acknowledged.');
    else await terminal.table(['SITE', 'NAME', 'SEVERITY', 'STATE', 'SINCE', 'BY', 'DESCRIPTION'], rows);
    if (found.total > rows.length) terminal.note(`There are ${found.total}: --limit ${found.total}, or select fewer.`);
    noteIncomplete(call, found.incomplete);
  },
};

const points: CommandDeclaration = {
  path: ['sites', 'points'],
  summary: 'List the points of all sites that are bad or uncertain, or of another quality',
  arguments: names,
  repeatsFrom: 0,
  options: [siteOption, ...selectorOptions.measurements, limitOption(1000)],
  examples: ['telltale sites points', "telltale sites points 'pump*' --bad", 'telltale sites points --forced'],
  run: async (call) => {
    const { client, terminal } = call;
    const found = await client.sites.points({ ...wantedOf(call), ...criteriaIn(call) });
    if (terminal.isJson) {
      await terminal.json(found);
      return;
    }
    const rows = found.points.map((point) => {
      const { name, vtq, description = '' } = point;
      return [point['site-name'], name, vtq[0], `0x${vtq[2].toString(16)}`, timeText(vtq[1]), description];
    });
    if (rows.length === 0) await terminal.line('No point of a site is selected.');
    else await terminal.table(['SITE', 'NAME', 'VALUE', 'QUALITY', 'TIME', 'DESCRIPTION'], rows);
    if (found['has-more']) terminal.note('There are more: a higher --limit, or select fewer.');
    noteIncomplete(call, found.incomplete);
  },
};

const history: CommandDeclaration = {
  path: ['sites', 'history'],
  summary: 'List the transitions of the alarms of all sites, newest first; default: of the last day',
  arguments: names,
  repeatsFrom: 0,
  options: [
    siteOption,
    sinceOption,
    untilOption,
    ...selectorOptions.alarms,
    { name: 'into', value: 'STATE,…', summary: `Only transitions to ${alarmStates.join(', ')}` },
    limitOption(usualTransitions),
  ],
  examples: ['telltale sites history', 'telltale sites history --since 7d --into ACT_UNACK'],
  run: async (call) => {
    const { client, terminal, options, clock } = call;
    const { quality: _, datatype: __, ...criteria } = criteriaIn(call);
    const nowMs = clock.now() / 1000;
    const { since, until } = intervalOf(call, { since: -86_400 });
    const found = await client.sites.transitions({
      ...wantedOf(call),
      ...criteria,
      since: secondsOf(since, nowMs),
      until: until && secondsOf(until, nowMs),
      states: options.get('into')?.split(',') as AlarmState[] | undefined,
      limit: readCount(options, 'limit') ?? usualTransitions,
    });
    if (terminal.isJson) {
      await terminal.json(found);
      return;
    }
    const rows = found.transitions.map((each) => {
      const { name, t, state, authority, description } = each;
      return [timeText(t), each['site-name'], name, stateCell(state), authority, description];
    });
    if (rows.length === 0) await terminal.line('No alarm of a site that is selected has changed in this time.');
    else await terminal.table(['TIME', 'SITE', 'NAME', 'STATE', 'BY', 'DESCRIPTION'], rows);
    if (found.next !== undefined) terminal.note('There are older ones: a higher --limit, or a shorter interval.');
    noteIncomplete(call, found.incomplete);
  },
};

export const siteCommands: readonly CommandDeclaration[] = [list, alarms, points, history];

function wantedOf({ args, options, signal }: Call) {
  return {
    names: namesIn(args),
    sites: options.get('of-sites')?.split(','),
    limit: readCount(options, 'limit'),
    signal,
  };
}

function siteRow({ id, name, state, since, points: counted, alarms: ofAlarms, uplink }: CentreSite): Cell[] {
  const known = (value: number | undefined) => (value === undefined ? '' : String(value));
  return [
    name,
    id,
    state,
    timeText(since),
    known(counted?.bad),
    known(ofAlarms?.active),
    uplink === null ? '' : `${uplink['lag-seconds'].toFixed(1)} s`,
    known(uplink?.['waiting-records']),
    known(uplink?.['lost-records']),
  ];
}

function noteIncomplete({ terminal }: Call, sites: readonly IncompleteSite[]): void {
  for (const site of sites) terminal.note(`Of ${site['site-name']} something may be missing: ${site.error}`);
}
