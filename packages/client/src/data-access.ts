// The data-access interface, version 1, over HTTP: measurements, commands, alarms, connectors, providers,
// function modules, process pictures, named trends.
import type {
  AlarmField,
  AlarmOperation,
  AlarmTrigger,
  BrowsedItems,
  BrowseRequest,
  CommandExplanation,
  CommandField,
  ConnectorField,
  Explanation,
  FunctionModuleField,
  FunctionModuleOperation,
  LiveAlarm,
  LiveCommand,
  LiveConnector,
  LiveFunctionModule,
  LiveMeasurement,
  LiveProvider,
  LogLine,
  LogStream,
  MeasurementField,
  ObjectActions,
  Picture,
  PictureField,
  ProviderField,
  Simulation,
  Trend,
  TrendField,
} from '@telltale/schema';
import { type AlarmCriteria, criteriaOf, type MeasurementCriteria, type PointCriteria } from './criteria.ts';
import { OperationCalls } from './operation-calls.ts';
import { type AskOptions, byNames, type Transport } from './transport.ts';

export interface ListOptions<Field extends string> extends AskOptions {
  /** Only these, unknown ones left out; of points and alarms also patterns, such as `pump*`. */
  readonly names?: readonly string[] | undefined;
  /** Only these fields of each object. */
  readonly fields?: readonly Field[] | undefined;
}

/** Of actions that may have to be confirmed. */
export interface ConfirmOptions extends AskOptions {
  /** Why it is done; kept in the audit trail. */
  readonly reason?: string | undefined;
}

export interface SimulateOptions extends ConfirmOptions {
  /** Seconds after which it ends by itself; without it, it lasts until it is stopped. */
  readonly validForS?: number | undefined;
  /** Good where not given. The service adds that it is simulated. */
  readonly quality?: number | undefined;
}

export interface OperateOptions extends AskOptions {
  /** Who does it. */
  readonly authority?: string | undefined;
}

export interface DisableOptions extends OperateOptions {
  readonly reason?: string | undefined;
}

export interface ActionsOptions extends AskOptions {
  /** Seconds since 1970; less than zero: back from now. 30 days back where not given. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The `next` of another answer. */
  readonly before?: number | undefined;
  /** 100 where not given. */
  readonly limit?: number | undefined;
}

/** What a kind of objects is called in the names of its operations. */
type Title = 'Measurement' | 'Command' | 'Alarm' | 'Connector' | 'Provider' | 'FunctionModule' | 'Picture' | 'Trend';

/** What the objects of one kind have in common: they are read. */
class LiveFamily<Item extends object, Field extends string & keyof Item, Criteria extends object = object> {
  protected readonly calls: OperationCalls;
  readonly #title: Title;

  constructor(transport: Transport, title: Title) {
    this.calls = new OperationCalls(transport);
    this.#title = title;
  }

  /** With `fields`, each object has these alone. */
  list<Only extends Field = Field>(
    options: ListOptions<Only> & Criteria = {} as Criteria,
  ): Promise<Record<string, Pick<Item, Only>>> {
    const { names, fields, signal } = options;
    return byNames(names, (list) => {
      const input = { ...criteriaOf(options as MeasurementCriteria), names: list, fields: fields?.join(',') };
      return this.calls.collection(`list${this.#title}s`, input, { signal });
    });
  }

  get(name: string, { signal }: AskOptions = {}): Promise<Item> {
    return this.calls.json(`get${this.#title}`, { name }, { signal });
  }
}

export class Measurements extends LiveFamily<LiveMeasurement, MeasurementField, MeasurementCriteria> {
  constructor(transport: Transport) {
    super(transport, 'Measurement');
  }

  /** Who did what to it, and what became of that, the newest first. */
  actions(name: string, { signal, ...range }: ActionsOptions = {}): Promise<ObjectActions> {
    return this.calls.json('listMeasurementActions', { name, ...range }, { signal });
  }

  /** Forces a value, such as `d21.5`. */
  simulate(name: string, value: string, { validForS, quality, reason, signal }: SimulateOptions = {}): Promise<void> {
    return this.calls.send('simulateMeasurement', { name, value, 'valid-for': validForS, quality, reason }, { signal });
  }

  /** Gives the device its say again. */
  stopSimulation(name: string, { signal }: AskOptions = {}): Promise<void> {
    return this.calls.send('stopSimulation', { name }, { signal });
  }

  /** Why it is what it is: what was read last, and what each stage of the chain made of it. */
  explain(name: string, { signal }: AskOptions = {}): Promise<Explanation> {
    return this.calls.json('explainMeasurement', { name }, { signal });
  }

  /** Everything that is forced now. */
  simulations({ signal }: AskOptions = {}): Promise<Record<string, Simulation>> {
    return this.calls.collection('listSimulations', {}, { signal });
  }
}

export class Commands extends LiveFamily<LiveCommand, CommandField, PointCriteria> {
  constructor(transport: Transport) {
    super(transport, 'Command');
  }

  /** Who did what to it, and what became of that, the newest first. */
  actions(name: string, { signal, ...range }: ActionsOptions = {}): Promise<ObjectActions> {
    return this.calls.json('listCommandActions', { name, ...range }, { signal });
  }

  /** Resolves when the device has accepted the value, such as `b1`. It is sent once, whatever happens. */
  write(name: string, value: string, { reason, signal }: ConfirmOptions = {}): Promise<void> {
    return this.calls.send('writeCommand', { name, value, reason }, { signal });
  }

  /** Why it is what it is: who wrote it, and what the device said. */
  explain(name: string, { signal }: AskOptions = {}): Promise<CommandExplanation> {
    return this.calls.json('explainCommand', { name }, { signal });
  }
}

export class Alarms extends LiveFamily<LiveAlarm, AlarmField, AlarmCriteria> {
  constructor(transport: Transport) {
    super(transport, 'Alarm');
  }

  /** What raises them: of these alarms, or of all that these measurements trigger; all where nothing is given. */
  triggers({
    names,
    measurements,
    signal,
  }: AskOptions & { readonly names?: readonly string[]; readonly measurements?: readonly string[] } = {}) {
    return byNames<AlarmTrigger>(measurements ?? names, (list) =>
      this.calls.collection(
        'listAlarmTriggers',
        measurements === undefined ? { names: list } : { names: names?.join(','), measurements: list },
        { signal },
      ),
    );
  }

  /** Who did what to it, and what became of that, the newest first. */
  actions(name: string, { signal, ...range }: ActionsOptions = {}): Promise<ObjectActions> {
    return this.calls.json('listAlarmActions', { name, ...range }, { signal });
  }

  activate(name: string, options?: OperateOptions): Promise<void> {
    return this.operate(name, 'activate', options);
  }

  deactivate(name: string, options?: OperateOptions): Promise<void> {
    return this.operate(name, 'deactivate', options);
  }

  acknowledge(name: string, options?: OperateOptions): Promise<void> {
    return this.operate(name, 'acknowledge', options);
  }

  operate(name: string, operation: AlarmOperation, { authority, signal }: OperateOptions = {}): Promise<void> {
    return this.calls.send(`${operation}Alarm`, { name, authority }, { signal });
  }
}

export class Connectors extends LiveFamily<LiveConnector, ConnectorField> {
  constructor(transport: Transport) {
    super(transport, 'Connector');
  }

  names({ signal }: AskOptions = {}): Promise<string[]> {
    return this.calls.json('listNamesOfConnectors', {}, { signal });
  }

  /** What its device has to offer, with objects that are ready to be put into the configuration. */
  browse(name: string, request: BrowseRequest = {}, { signal }: AskOptions = {}): Promise<BrowsedItems> {
    return this.calls.json('browseConnector', { name, ...request }, { signal });
  }

  /** Resolves when its link has ended and it connects again. */
  restart(name: string, { signal }: AskOptions = {}): Promise<void> {
    return this.calls.send('restartConnector', { name }, { signal });
  }

  /** Resolves when that is on disk and its link has ended; it stays disabled, also over restarts of the service. */
  disable(name: string, { reason, authority, signal }: DisableOptions = {}): Promise<void> {
    return this.calls.send('disableConnector', { name, reason, authority }, { signal });
  }

  /** Resolves when that is on disk and it connects. */
  enable(name: string, { signal }: AskOptions = {}): Promise<void> {
    return this.calls.send('enableConnector', { name }, { signal });
  }
}

export class Providers extends LiveFamily<LiveProvider, ProviderField> {
  constructor(transport: Transport) {
    super(transport, 'Provider');
  }

  names({ signal }: AskOptions = {}): Promise<string[]> {
    return this.calls.json('listNamesOfProviders', {}, { signal });
  }

  /** Resolves when its clients are gone and it starts to serve again. */
  restart(name: string, { signal }: AskOptions = {}): Promise<void> {
    return this.calls.send('restartProvider', { name }, { signal });
  }

  /** Resolves when that is on disk and it serves nothing; it stays disabled, also over restarts of the service. */
  disable(name: string, { reason, authority, signal }: DisableOptions = {}): Promise<void> {
    return this.calls.send('disableProvider', { name, reason, authority }, { signal });
  }

  /** Resolves when that is on disk and it starts to serve. */
  enable(name: string, { signal }: AskOptions = {}): Promise<void> {
    return this.calls.send('enableProvider', { name }, { signal });
  }
}

export interface LogOptions extends AskOptions {
  /** The newest so many; 100 where not given. */
  readonly lines?: number | undefined;
  /** Both where not given. */
  readonly stream?: LogStream | undefined;
}

export class FunctionModules extends LiveFamily<LiveFunctionModule, FunctionModuleField> {
  constructor(transport: Transport) {
    super(transport, 'FunctionModule');
  }

  names({ signal }: AskOptions = {}): Promise<string[]> {
    return this.calls.json('listNamesOfFunctionModules', {}, { signal });
  }

  /** What it printed last, in the order in which it did. */
  log(name: string, { lines, stream, signal }: LogOptions = {}): Promise<LogLine[]> {
    return this.calls.json('readFunctionModuleLog', { name, lines, stream }, { signal });
  }

  /** Resolves when its process is there. */
  start(name: string, options?: AskOptions): Promise<void> {
    return this.operate(name, 'start', options);
  }

  /** Resolves when nothing of it runs any more; it stays stopped until somebody starts it. */
  stop(name: string, options?: AskOptions): Promise<void> {
    return this.operate(name, 'stop', options);
  }

  restart(name: string, options?: AskOptions): Promise<void> {
    return this.operate(name, 'restart', options);
  }

  operate(name: string, operation: FunctionModuleOperation, { signal }: AskOptions = {}): Promise<void> {
    return this.calls.send(`${operation}FunctionModule`, { name }, { signal });
  }
}

/** Process pictures as they run. */
export class Pictures extends LiveFamily<Picture, PictureField> {
  constructor(transport: Transport) {
    super(transport, 'Picture');
  }

  /** Without their SVGs, unless `fields` says so. */
  override list<Only extends PictureField = Exclude<PictureField, 'svg'>>(
    options: ListOptions<Only> = {},
  ): Promise<Record<string, Pick<Picture, Only>>> {
    return super.list(options);
  }
}

/** Named trends as they run. */
export class Trends extends LiveFamily<Trend, TrendField> {
  constructor(transport: Transport) {
    super(transport, 'Trend');
  }
}
