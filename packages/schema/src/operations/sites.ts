// Operations of a centre about its sites. Below /sites/SITE/ every site has its own interfaces, which are no operations of the centre.
// What is asked of all sites together is of those that the caller may view, and of what may be viewed of them.
import Type from 'typebox';
import { ArchiveTime, alarmArchiveOptions } from '../archive.ts';
import { AlarmState } from '../data-access.ts';
import { qualityWords } from '../quality.ts';
import { selectorInputs } from '../selector-inputs.ts';
import { CentreSite, SitesAlarms, SitesPoints, SitesTransitions } from '../sites.ts';
import { namesOrPatterns } from './inputs.ts';
import { declare, json, reads } from './operation.ts';

const sites = { tag: 'Sites', resource: 'sites' } as const;

const ofSites = {
  site: Type.Optional(
    Type.Array(Type.String({ pattern: '^.{1,256}$', description: 'The id or the name of a site.' }), {
      maxItems: 1000,
      description: 'Only of these sites, each by its id or its name, comma-separated.',
    }),
  ),
};
const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many at most. Default: 1000.' }),
);
const ofAlarms = {
  ...namesOrPatterns,
  ...selectorInputs.alarms,
  severity: Type.Optional(Type.Integer({ minimum: 0, description: 'Only those of this severity.' })),
};

export const siteOperations = {
  listSites: declare({
    ...reads(sites, 'signed-in'),
    summary: 'List the sites of a centre: whether each is there, and what of its archive the store has',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/sites',
      answer: json(
        'From the id to the site; empty where the service is no centre.',
        Type.Record(Type.String(), CentreSite),
      ),
    },
  }),
  getSite: declare({
    ...reads(sites, 'signed-in'),
    summary: 'Get one site of a centre',
    input: { site: Type.String({ description: 'Its id; or its name, where only one site has it.' }) },
    problems: ['unknown-site'],
    http: { method: 'GET', path: '/sites/:site', answer: json('The site.', CentreSite) },
  }),
  listAlarmsOfSites: declare({
    ...reads(sites, 'signed-in'),
    summary: 'List the alarms of all sites of a centre that are active or wait to be acknowledged',
    input: {
      ...ofSites,
      ...ofAlarms,
      state: Type.Optional(
        Type.Array(AlarmState, {
          description: 'Only those in one of these states, comma-separated. Default: all but INACT_ACK.',
        }),
      ),
      limit,
    },
    problems: ['unknown-site'],
    http: { method: 'GET', path: '/sites/alarms', answer: json('The alarms.', SitesAlarms) },
  }),
  listPointsOfSites: declare({
    ...reads(sites, 'signed-in'),
    summary: 'List the points of all sites of a centre that are not good, or those that are selected',
    input: {
      ...ofSites,
      ...namesOrPatterns,
      ...selectorInputs.measurements,
      quality: Type.Optional(
        Type.Array(Type.Enum([...qualityWords], { type: 'string' }), {
          description: `Only those of one of these qualities: ${qualityWords.join(', ')}; comma-separated. Default: bad and uncertain.`,
        }),
      ),
      limit,
    },
    problems: ['unknown-site'],
    http: { method: 'GET', path: '/sites/points', answer: json('The points.', SitesPoints) },
  }),
  listTransitionsOfSites: declare({
    ...reads(sites, 'signed-in'),
    summary: 'List the transitions of the alarms of all sites of a centre, the newest first, a page at a time',
    input: {
      ...ofSites,
      ...ofAlarms,
      state: Type.Optional(
        Type.Array(AlarmState, { description: 'Only those that led to one of these states, comma-separated.' }),
      ),
      t_since: ArchiveTime,
      t_until: Type.Optional(ArchiveTime),
      simulated: alarmArchiveOptions.simulated,
      before: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only those behind the ones before: next of the page before.' }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'Of a page. Default: 100.', examples: [200] }),
      ),
    },
    problems: ['unknown-site', 'invalid-interval', 'overloaded', 'storage-failed'],
    http: { method: 'GET', path: '/sites/journal', answer: json('A page.', SitesTransitions) },
  }),
};
