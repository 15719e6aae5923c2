// Watches: operations of the channel alone. A client that watches something is notified of each change of it.
import Type from 'typebox';
import { NameList } from './channel-fields.ts';
import { alarms, commands, connectors, type LiveKind, measurements, modules, providers } from './live-kinds.ts';
import { declare, reads, type WatchKind } from './operation.ts';

const Watched = Type.Union([NameList, Type.Literal('all')], {
  description: 'Names, or "all": what there is now and what will be.',
});

const watched = <Field extends WatchKind>(field: Field) => ({ [field]: Watched }) as Record<Field, typeof Watched>;

const begin = <const Request extends string, Field extends WatchKind>(
  request: Request,
  kind: LiveKind<Field>,
  summary: string,
  watch: WatchKind = kind.field,
) =>
  declare({
    ...reads(kind),
    summary,
    input: watched(kind.field),
    problems: ['too-many-watches'],
    channel: [
      {
        request,
        fields: watched(kind.field),
        batch: kind.field,
        watch: { kind: watch, ends: false },
        isInOrder: true,
      },
    ],
  });

const end = <const Request extends string, Field extends WatchKind>(
  request: Request,
  kind: LiveKind<Field>,
  what = `${kind.one}s`,
  watch: WatchKind = kind.field,
) =>
  declare({
    ...reads(kind),
    summary: `Stop watching ${what}`,
    input: watched(kind.field),
    problems: [],
    channel: [{ request, fields: watched(kind.field), watch: { kind: watch, ends: true }, isInOrder: true }],
  });

const presentThen = (what: string, present: string, then: string) =>
  `Watch ${what}: the answer, then one notification with the present ${present}, then one of each ${then}`;

export const watchOperations = {
  watchMeasurements: begin('WatchMeasurements', measurements, presentThen('measurements', 'values', 'change')),
  unwatchMeasurements: end('UnwatchMeasurements', measurements),
  watchCommands: begin('WatchCommands', commands, presentThen('commands', 'values', 'change')),
  unwatchCommands: end('UnwatchCommands', commands),
  watchAlarms: begin('WatchAlarms', alarms, presentThen('alarms', 'states', 'transition')),
  unwatchAlarms: end('UnwatchAlarms', alarms),
  watchFunctionModules: begin('WatchFunctionModules', modules, presentThen('function modules', 'states', 'change')),
  unwatchFunctionModules: end('UnwatchFunctionModules', modules),
  watchFunctionModuleLogs: begin(
    'WatchFunctionModuleLogs',
    modules,
    'Watch the logs of function modules: the answer, then what the modules print from now on. ' +
      'GET /function-modules/:name/log has what they printed before. The watch of a module that is removed goes on when ' +
      'one of that name is added',
    'function_module_logs',
  ),
  unwatchFunctionModuleLogs: end(
    'UnwatchFunctionModuleLogs',
    modules,
    'the logs of function modules',
    'function_module_logs',
  ),
  watchConnectors: begin('WatchConnectors', connectors, presentThen('connectors', 'states', 'change of a state')),
  unwatchConnectors: end('UnwatchConnectors', connectors),
  watchProviders: begin('WatchProviders', providers, presentThen('providers', 'states', 'change of a state')),
  unwatchProviders: end('UnwatchProviders', providers),
};
