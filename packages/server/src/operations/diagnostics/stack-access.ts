// The queries about connectors and providers, and about how the value of a measurement or command came about, as both HTTP
// and the channel offer them.
import {
  type BrowsedItems,
  type BrowseRequest,
  type Clock,
  type CommandExplanation,
  type ConnectorField,
  defaultBrowseItems,
  type Explanation,
  type LinkState,
  ProblemError,
  type ProviderField,
  type RevisionSummary,
} from '@telltale/schema';
import type { ReadingTrace } from '@telltale/stack-kit';
import type { Caller, Rights } from '../../access/index.ts';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import { type Commands, type Measurements, noQualities, type QualityCounts } from '../../points/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import type { InstanceStatus, Role, StackHost } from '../../stacks/index.ts';
import { collectionText, picked } from '../collection-text.ts';
import type { Selection } from '../data/index.ts';
import { explainCommand } from './explain-command.ts';
import { explainMeasurement } from './explain-measurement.ts';
import { liveConnector, liveProvider, stateOf } from './instance-wire.ts';

export interface StackAccessOptions {
  readonly host: Pick<StackHost, 'status' | 'areaOf' | 'explain' | 'browse' | 'onState'>;
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly runtime: Pick<Runtime, 'countServed' | 'explain'>;
  readonly cfgdb: Pick<ConfigurationDatabase, 'as' | 'call'>;
  readonly clock: Clock;
}

/** For so long the points that providers serve are not counted again: very many of them take some milliseconds. */
const countedForMs = 1000;

export class StackAccess {
  readonly #options: StackAccessOptions;
  #served: { readonly countedMs: number; readonly counts: ReadonlyMap<string, QualityCounts> } | undefined;

  constructor(options: StackAccessOptions) {
    this.#options = options;
  }

  /** Those that are visible with these rights. */
  names(role: Role, rights: Rights): string[] {
    return Array.from(this.#all(role).keys())
      .filter((name) => this.#isSeen(role, name, rights))
      .sort();
  }

  /** The area that it is in; empty: in none. Undefined where there is no such instance. */
  areaOf(role: Role, name: string): string | undefined {
    return this.#options.host.areaOf(role, name);
  }

  has(role: Role, name: string): boolean {
    return this.#all(role).has(name);
  }

  /** How many of those that are visible are in each state. */
  countStates(role: Role, rights: Rights): Record<LinkState, number> {
    const counts: Record<LinkState, number> = { connecting: 0, up: 0, down: 0, failed: 0, disabled: 0 };
    for (const { name, state } of this.#all(role).values()) if (this.#isSeen(role, name, rights)) counts[state]++;
    return counts;
  }

  /** That all connectors read together, over about 10 s. */
  valuesPerSecond(): number {
    let sum = 0;
    for (const { valuesPerSecond } of this.#all('connector').values()) sum += valuesPerSecond;
    return sum;
  }

  /** Of some or all of those that are visible, from name to object. */
  read(role: Role, { names, fields }: Selection<ConnectorField | ProviderField>, rights: Rights): string {
    const all = this.#all(role);
    const known = [...new Set(names ?? all.keys())]
      .filter((name) => all.has(name) && this.#isSeen(role, name, rights))
      .sort();
    const counts = fields?.includes('points') === false ? new Map<string, QualityCounts>() : this.#countPoints(role);
    return collectionText(known.map((name) => [name, picked(live(all.get(name) as InstanceStatus, counts), fields)]));
  }

  readOne(role: Role, name: string): string {
    return JSON.stringify(live(this.#mustFind(role, name), this.#countPoints(role)));
  }

  /** The JSON object that the channel sends for an existing instance. */
  stateText(role: Role, name: string): string {
    return JSON.stringify(stateOf(this.#mustFind(role, name)));
  }

  /** On each change of a state, and when one is removed, with the text of its last state. */
  onState(listener: (role: Role, name: string, text: string, isRemoved: boolean) => void): void {
    const last = new Map<string, string>();
    this.#options.host.onState((role, name, status) => {
      const key = `${role} ${name}`;
      const text = status === undefined ? last.get(key) : JSON.stringify(stateOf(status));
      if (status === undefined) last.delete(key);
      else last.set(key, text ?? '');
      if (text !== undefined) listener(role, name, text, status === undefined);
    });
  }

  /** Of connectors and providers that are not visible with these rights, nothing is said. */
  async explain(name: string, rights: Rights): Promise<Explanation> {
    const { runtime, measurements } = this.#options;
    const asked = this.#mustFindMeasurement(name);
    const { connector } = measurements.chainOf(asked);
    const rendering = await this.#rendering();
    let trace: ReadingTrace | undefined;
    let traceProblem: string | undefined;
    try {
      // Last: so the present state comes from the reading that the trace is about, and not from the next one.
      if (connector !== undefined && this.#isSeen('connector', connector, rights)) {
        trace = await runtime.explain(connector, asked);
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      traceProblem = error.message;
    }
    // By now the name may be another measurement, and the trace is of the one that was asked for.
    const handle = this.#mustFindMeasurement(name);
    const view = measurements.chainOf(handle);
    if (handle !== asked || view.connector !== connector) trace = undefined;
    const { reports } = view;
    const isHidden =
      (view.connector !== undefined && !this.#isSeen('connector', view.connector, rights)) ||
      (reports !== undefined && !this.#isSeen(reports.role, reports.name, rights));
    return explainMeasurement({
      point: measurements.definitionOf(handle),
      view,
      isHidden,
      status: view.connector === undefined || isHidden ? undefined : this.#all('connector').get(view.connector),
      trace,
      traceProblem,
      trial: trace?.value === undefined ? undefined : measurements.trial(handle, trace.value),
      rendering,
    });
  }

  async explainCommand(name: string, rights: Rights): Promise<CommandExplanation> {
    const { commands } = this.#options;
    this.#mustFindCommand(name);
    const rendering = await this.#rendering();
    const handle = this.#mustFindCommand(name); // by now it may be another one
    const point = commands.definitionOf(handle);
    const { connectorName } = point;
    const isHidden = connectorName !== undefined && !this.#isSeen('connector', connectorName, rights);
    const providers = [...this.#all('provider')].filter(([provider]) => this.#isSeen('provider', provider, rights));
    return explainCommand({
      point,
      view: commands.viewOf(handle),
      isHidden,
      status: connectorName === undefined || isHidden ? undefined : this.#all('connector').get(connectorName),
      providers: new Map(providers),
      rendering,
    });
  }

  async browse(
    connector: string,
    request: BrowseRequest,
    { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
  ): Promise<BrowsedItems> {
    const { host, cfgdb } = this.#options;
    const { stackName } = this.#mustFind('connector', connector);
    const { path, cursor, limit = defaultBrowseItems } = request;
    const found = await host.browse(connector, { path, cursor, limit }, signal).catch((error: unknown) => {
      throw signal.aborted ? new ProblemError('request-timeout', 'The client has closed the connection.') : error;
    });
    const items = found.items.slice(0, limit);
    const things = items.map(({ measurement, command, alarm }) => ({ measurement, command, alarm }));
    const offers = await cfgdb.as(caller).call('offer', connector, stackName, things);
    return {
      items: items.map(({ title, path: below }, at) => ({
        title,
        path: below ?? null,
        measurement: offers[at]?.measurement ?? null,
        command: offers[at]?.command ?? null,
        alarm: offers[at]?.alarm ?? null,
      })),
      cursor: found.cursor ?? null,
    };
  }

  #isSeen(role: Role, name: string, rights: Rights): boolean {
    return rights.on('view', name, this.areaOf(role, name));
  }

  #all(role: Role): Map<string, InstanceStatus> {
    const found = new Map<string, InstanceStatus>();
    for (const status of this.#options.host.status()) if (status.role === role) found.set(status.name, status);
    return found;
  }

  #mustFind(role: Role, name: string): InstanceStatus {
    const status = this.#all(role).get(name);
    if (status !== undefined) return status;
    throw new ProblemError('unknown-object', `There is no ${role} ${JSON.stringify(name.slice(0, 80))} that runs.`);
  }

  #mustFindMeasurement(name: string): number {
    const handle = this.#options.measurements.find(name);
    if (handle >= 0) return handle;
    throw new ProblemError('unknown-object', `There is no measurement ${JSON.stringify(name.slice(0, 80))}.`);
  }

  #mustFindCommand(name: string): number {
    const handle = this.#options.commands.find(name);
    if (handle >= 0) return handle;
    throw new ProblemError('unknown-object', `There is no command ${JSON.stringify(name.slice(0, 80))}.`);
  }

  #countPoints(role: Role): ReadonlyMap<string, QualityCounts> {
    const { measurements, runtime, clock } = this.#options;
    if (role === 'connector') return measurements.countQualities();
    const nowMs = clock.monotonicMs();
    const known = this.#served;
    if (known !== undefined && nowMs - known.countedMs < countedForMs) return known.counts;
    const counts = runtime.countServed();
    this.#served = { countedMs: nowMs, counts };
    return counts;
  }

  async #rendering(): Promise<RevisionSummary | undefined> {
    return (await this.#options.cfgdb.call('revisions')).find(({ running }) => running);
  }
}

function live(status: InstanceStatus, counts: ReadonlyMap<string, QualityCounts>) {
  const points = counts.get(status.name) ?? noQualities();
  return status.role === 'connector' ? liveConnector(status, points) : liveProvider(status, points);
}
