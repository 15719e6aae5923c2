// The data-access interface, version 1, over HTTP: measurements, commands, alarms, connectors, providers,
// function modules.
import type {
  AlarmField,
  AlarmOperation,
  BrowsedItems,
  BrowseRequest,
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
  ProviderField,
  Simulation,
} from '@telltale/schema';
import { type AskOptions, byNames, pathName, type Transport } from './transport.ts';

export interface ListOptions<Field extends string> extends AskOptions {
  /** Only these; unknown names are left out. */
  readonly names?: readonly string[] | undefined;
  /** Only these fields of each object. */
  readonly fields?: readonly Field[] | undefined;
}

export interface SimulateOptions extends AskOptions {
  /** Seconds after which it ends by itself; without it, it lasts until it is stopped. */
  readonly validForS?: number | undefined;
  /** Good where not given. The service adds that it is simulated. */
  readonly quality?: number | undefined;
}

export interface OperateOptions extends AskOptions {
  /** Who does it. */
  readonly authority?: string | undefined;
}

/** What the objects of one kind have in common: they are read. */
class LiveFamily<Item extends object, Field extends string & keyof Item> {
  protected readonly transport: Transport;
  protected readonly path: string;

  constructor(transport: Transport, path: string) {
    this.transport = transport;
    this.path = path;
  }

  /** With `fields`, each object has these alone. */
  list<Only extends Field = Field>(options: ListOptions<Only> = {}): Promise<Record<string, Pick<Item, Only>>> {
    const { names, fields, signal } = options;
    return byNames(names, (list) =>
      this.transport.collection(`${this.path}/`, { query: { names: list, fields: fields?.join(',') }, signal }),
    );
  }

  async get(name: string, { signal }: AskOptions = {}): Promise<Item> {
    return this.transport.json(this.readPath(name), { signal });
  }

  protected readPath(name: string): string {
    return this.#at(name, 'unknown-object');
  }

  protected writePath(name: string): string {
    return this.#at(name, 'invalid-name');
  }

  #at(name: string, otherwise: 'unknown-object' | 'invalid-name'): string {
    return `${this.path}/${pathName(name, otherwise)}`;
  }
}

export class Measurements extends LiveFamily<LiveMeasurement, MeasurementField> {
  constructor(transport: Transport) {
    super(transport, 'measurements');
  }

  /** Forces a value, such as `d21.5`. */
  async simulate(name: string, value: string, { validForS, quality, signal }: SimulateOptions = {}): Promise<void> {
    const query = { value, 'valid-for': validForS, quality };
    await this.transport.send('PUT', this.writePath(name), { query, signal });
  }

  /** Gives the device its say again. */
  async stopSimulation(name: string, { signal }: AskOptions = {}): Promise<void> {
    await this.transport.send('DELETE', this.writePath(name), { signal });
  }

  /** Why it is what it is: what was read last, and what each stage of the chain made of it. */
  async explain(name: string, { signal }: AskOptions = {}): Promise<Explanation> {
    return this.transport.json(`${this.readPath(name)}/explain`, { signal });
  }

  /** Everything that is forced now. */
  simulations({ signal }: AskOptions = {}): Promise<Record<string, Simulation>> {
    return this.transport.collection('simulations', { signal });
  }
}

export class Commands extends LiveFamily<LiveCommand, CommandField> {
  constructor(transport: Transport) {
    super(transport, 'commands');
  }

  /** Resolves when the device has accepted the value, such as `b1`. It is sent once, whatever happens. */
  async write(name: string, value: string, { signal }: AskOptions = {}): Promise<void> {
    await this.transport.send('PUT', this.writePath(name), { query: { value }, signal });
  }
}

export class Alarms extends LiveFamily<LiveAlarm, AlarmField> {
  constructor(transport: Transport) {
    super(transport, 'alarms');
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

  async operate(name: string, operation: AlarmOperation, { authority, signal }: OperateOptions = {}): Promise<void> {
    await this.transport.send('POST', `${this.writePath(name)}/${operation}`, { query: { authority }, signal });
  }
}

/** What runs beside the points: how each is. */
class Instances<Item extends object, Field extends string & keyof Item> extends LiveFamily<Item, Field> {
  names({ signal }: AskOptions = {}): Promise<string[]> {
    return this.transport.json(`${this.path}/names`, { signal });
  }
}

export class Connectors extends Instances<LiveConnector, ConnectorField> {
  constructor(transport: Transport) {
    super(transport, 'connectors');
  }

  /** What its device has to offer, with objects that are ready to be put into the configuration. */
  async browse(name: string, request: BrowseRequest = {}, { signal }: AskOptions = {}): Promise<BrowsedItems> {
    return this.transport.json(`${this.writePath(name)}/browse`, { json: request, signal }, 'POST');
  }
}

export class Providers extends Instances<LiveProvider, ProviderField> {
  constructor(transport: Transport) {
    super(transport, 'providers');
  }
}

export interface LogOptions extends AskOptions {
  /** The newest so many; 100 where not given. */
  readonly lines?: number | undefined;
  /** Both where not given. */
  readonly stream?: LogStream | undefined;
}

export class FunctionModules extends Instances<LiveFunctionModule, FunctionModuleField> {
  constructor(transport: Transport) {
    super(transport, 'function-modules');
  }

  /** What it printed last, in the order in which it did. */
  async log(name: string, { lines, stream, signal }: LogOptions = {}): Promise<LogLine[]> {
    return this.transport.json(`${this.readPath(name)}/log`, { query: { lines, stream }, signal });
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

  async operate(name: string, operation: FunctionModuleOperation, { signal }: AskOptions = {}): Promise<void> {
    await this.transport.send('POST', `${this.writePath(name)}/${operation}`, { signal });
  }
}
