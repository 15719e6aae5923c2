// Watches: operations of the channel alone. A client that watches something is notified of each change of it.
import Type, { type TSchema } from 'typebox';
import { NameList } from './channel-fields.ts';
import { declare, type Resource, type WatchKind } from './operation.ts';

const Watched = Type.Union([NameList, Type.Literal('all')], {
  description: 'Names, or "all": what there is now and what will be.',
});

interface Watch {
  readonly tag: string;
  readonly resource: Resource;
  readonly kind: WatchKind;
  /** Which field of the message has the names. */
  readonly fields: Readonly<Record<string, TSchema>>;
}

const begin = <const Request extends string, const W extends Watch>(request: Request, of: W, summary: string) =>
  declare({
    tag: of.tag,
    summary,
    effect: { action: 'read', resource: of.resource },
    audited: false,
    input: of.fields as W['fields'],
    problems: ['too-many-watches'],
    channel: [
      {
        request,
        fields: of.fields as W['fields'],
        batch: Object.keys(of.fields).join(),
        watch: { kind: of.kind, ends: false },
        isInOrder: true,
      },
    ],
  });

const end = <const Request extends string, const W extends Watch>(request: Request, of: W, what: string) =>
  declare({
    tag: of.tag,
    summary: `Stop watching ${what}`,
    effect: { action: 'read', resource: of.resource },
    audited: false,
    input: of.fields as W['fields'],
    problems: [],
    channel: [{ request, fields: of.fields as W['fields'], watch: { kind: of.kind, ends: true }, isInOrder: true }],
  });

const measurements = {
  tag: 'Measurements',
  resource: 'measurements',
  kind: 'measurements',
  fields: { measurements: Watched },
} as const;
const commands = { tag: 'Commands', resource: 'commands', kind: 'commands', fields: { commands: Watched } } as const;
const alarms = { tag: 'Alarms', resource: 'alarms', kind: 'alarms', fields: { alarms: Watched } } as const;
const modules = {
  tag: 'Function modules',
  resource: 'function-modules',
  kind: 'function_modules',
  fields: { function_modules: Watched },
} as const;
const logs = { ...modules, kind: 'function_module_logs' } as const;
const connectors = {
  tag: 'Connectors',
  resource: 'connectors',
  kind: 'connectors',
  fields: { connectors: Watched },
} as const;
const providers = {
  tag: 'Providers',
  resource: 'providers',
  kind: 'providers',
  fields: { providers: Watched },
} as const;

const presentThen = (what: string, present: string, then: string) =>
  `Watch ${what}: the answer, then one notification with the present ${present}, then one of each ${then}`;

export const watchOperations = {
  watchMeasurements: begin('WatchMeasurements', measurements, presentThen('measurements', 'values', 'change')),
  unwatchMeasurements: end('UnwatchMeasurements', measurements, 'measurements'),
  watchCommands: begin('WatchCommands', commands, presentThen('commands', 'values', 'change')),
  unwatchCommands: end('UnwatchCommands', commands, 'commands'),
  watchAlarms: begin('WatchAlarms', alarms, presentThen('alarms', 'states', 'transition')),
  unwatchAlarms: end('UnwatchAlarms', alarms, 'alarms'),
  watchFunctionModules: begin('WatchFunctionModules', modules, presentThen('function modules', 'states', 'change')),
  unwatchFunctionModules: end('UnwatchFunctionModules', modules, 'function modules'),
  watchFunctionModuleLogs: begin(
    'WatchFunctionModuleLogs',
    logs,
    'Watch the logs of function modules: the answer, then what the modules print from now on. ' +
      'GET /function-modules/:name/log has what they printed before. The watch of a module that is removed goes on when ' +
      'one of that name is added',
  ),
  unwatchFunctionModuleLogs: end('UnwatchFunctionModuleLogs', logs, 'the logs of function modules'),
  watchConnectors: begin('WatchConnectors', connectors, presentThen('connectors', 'states', 'change of a state')),
  unwatchConnectors: end('UnwatchConnectors', connectors, 'connectors'),
  watchProviders: begin('WatchProviders', providers, presentThen('providers', 'states', 'change of a state')),
  unwatchProviders: end('UnwatchProviders', providers, 'providers'),
};
