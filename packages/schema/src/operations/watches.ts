// Watches: operations of the channel alone. A client that watches something is notified of each change of it.
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { closed } from '../closed.ts';
import { selectorInputs } from '../selector-inputs.ts';
import { items, Name, NameList } from './channel-fields.ts';
import { alarms, commands, connectors, type LiveKind, measurements, modules, providers } from './live-kinds.ts';
import { declare, reads, type WatchKind } from './operation.ts';

const Watched = Type.Union([NameList, Type.Literal('all')], {
  description: 'Names, or "all": what there is now and what will be.',
});

/** What a watch by selector is given. */
const selectorOf = <const Criteria extends TProperties>(title: string, criteria: Criteria) =>
  Type.Object(
    {
      names: Type.Optional(Type.Array(Name, { ...items, description: 'Names, and patterns such as pump*.' })),
      ...criteria,
    },
    {
      title,
      ...closed,
      minProperties: 1,
      description: 'What is selected: all that is given must hold, of a list any item.',
    },
  );

export const MeasurementSelector = selectorOf('MeasurementSelector', selectorInputs.measurements);
export const CommandSelector = selectorOf('CommandSelector', selectorInputs.commands);
export const AlarmSelector = selectorOf('AlarmSelector', selectorInputs.alarms);

const watchedBy = <const S extends TObject>(selector: S) =>
  Type.Union([NameList, Type.Literal('all'), selector], {
    description: 'Names, or "all", or a selector: what there is of it now and what will be.',
  });

/** Of a watch by selector. */
const selected = {
  selection: Type.Integer({
    minimum: 1,
    description: 'Of a watch by selector: the number that its notifications have.',
  }),
};

interface Watching<Field extends WatchKind, W extends TSchema> {
  readonly kind: LiveKind<Field>;
  readonly watched: W;
  readonly watch?: WatchKind;
  /** Of the answer. */
  readonly answer?: typeof selected;
}

const named = <const Field extends WatchKind>(kind: LiveKind<Field>, watch: WatchKind = kind.field) => ({
  kind,
  watched: Watched,
  watch,
});

const selectable = <const Field extends WatchKind, const S extends TObject>(kind: LiveKind<Field>, selector: S) => ({
  kind,
  watched: watchedBy(selector),
  answer: selected,
});

const fieldOf = <Field extends WatchKind, W extends TSchema>({ kind, watched }: Watching<Field, W>) =>
  ({ [kind.field]: watched }) as Record<Field, W>;

const begin = <const Request extends string, Field extends WatchKind, W extends TSchema>(
  request: Request,
  watching: Watching<Field, W>,
  summary: string,
) =>
  declare({
    ...reads(watching.kind, watching.watch === 'function_module_logs' ? 'diagnose' : 'view'),
    summary,
    input: fieldOf(watching),
    problems: watching.answer ? ['too-many-watches', 'invalid-query'] : ['too-many-watches'],
    channel: [
      {
        request,
        fields: fieldOf(watching),
        batch: watching.kind.field,
        ...(watching.answer && { answer: watching.answer }),
        watch: { kind: watching.watch ?? watching.kind.field, ends: false },
        isInOrder: true,
      },
    ],
  });

const end = <const Request extends string, Field extends WatchKind, W extends TSchema>(
  request: Request,
  watching: Watching<Field, W>,
  what = `${watching.kind.one}s`,
) =>
  declare({
    ...reads(watching.kind, watching.watch === 'function_module_logs' ? 'diagnose' : 'view'),
    summary: `Stop watching ${what}`,
    input: fieldOf(watching),
    problems: [],
    channel: [
      {
        request,
        fields: fieldOf(watching),
        watch: { kind: watching.watch ?? watching.kind.field, ends: true },
        isInOrder: true,
      },
    ],
  });

const of = {
  measurements: selectable(measurements, MeasurementSelector),
  commands: selectable(commands, CommandSelector),
  alarms: selectable(alarms, AlarmSelector),
  modules: named(modules),
  logs: named(modules, 'function_module_logs'),
  connectors: named(connectors),
  providers: named(providers),
};

const presentThen = (what: string, present: string, then: string) =>
  `Watch ${what}: the answer, then one notification with the present ${present}, then one of each ${then}`;

export const watchOperations = {
  watchMeasurements: begin('WatchMeasurements', of.measurements, presentThen('measurements', 'values', 'change')),
  unwatchMeasurements: end('UnwatchMeasurements', of.measurements),
  watchCommands: begin('WatchCommands', of.commands, presentThen('commands', 'values', 'change')),
  unwatchCommands: end('UnwatchCommands', of.commands),
  watchAlarms: begin('WatchAlarms', of.alarms, presentThen('alarms', 'states', 'transition')),
  unwatchAlarms: end('UnwatchAlarms', of.alarms),
  watchFunctionModules: begin('WatchFunctionModules', of.modules, presentThen('function modules', 'states', 'change')),
  unwatchFunctionModules: end('UnwatchFunctionModules', of.modules),
  watchFunctionModuleLogs: begin(
    'WatchFunctionModuleLogs',
    of.logs,
    'Watch the logs of function modules: the answer, then what the modules print from now on. ' +
      'GET /function-modules/:name/log has what they printed before. The watch of a module that is removed goes on when ' +
      'one of that name is added',
  ),
  unwatchFunctionModuleLogs: end('UnwatchFunctionModuleLogs', of.logs, 'the logs of function modules'),
  watchConnectors: begin('WatchConnectors', of.connectors, presentThen('connectors', 'states', 'change of a state')),
  unwatchConnectors: end('UnwatchConnectors', of.connectors),
  watchProviders: begin('WatchProviders', of.providers, presentThen('providers', 'states', 'change of a state')),
  unwatchProviders: end('UnwatchProviders', of.providers),
};
