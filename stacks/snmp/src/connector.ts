// Reads and sets the objects of SNMP agents, and takes their traps. The poller owns rhythm and silence, a session the way
// to one agent.
import { isIP, isIPv6, SocketAddress } from 'node:net';
import { Batch, quality, unlessAborted, type Value } from '@telltale/schema';
import {
  AllowedClients,
  type BrowseAnswer,
  type BrowseRequest,
  type Connector,
  type ConnectorOptions,
  Fatal,
  HostNames,
  type InstanceDetail,
  NoAnswer,
  NotConnected,
  Poller,
  type ReadingTrace,
  Refused,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { type Account, accountsOf, communityAccount, userAccount } from './account.ts';
import { type Address, type Host, parseAddress, parseHosts, writeFormsOf } from './address.ts';
import { AgentReader } from './agent-reader.ts';
import { AgentSession, Reported } from './agent-session.ts';
import { browseAgent, browseHosts } from './browse.ts';
import { Incoming } from './incoming.ts';
import { LocalEngine } from './local-engine.ts';
import { nameOfOid } from './object-names.ts';
import {
  asked,
  encodeVarbinds,
  errorStatus,
  isStandardStatus,
  type Pdu,
  pduType,
  statusName,
  type Varbind,
} from './pdu.ts';
import { type PlannedObject, planReads, type ReadRequest } from './read-plan.ts';
import { encodeValue, hexOf, isException, readValue, typeName, Unfit } from './snmp-value.ts';
import { TrapListener } from './trap-listener.ts';
import { TrapPoints } from './trap-points.ts';
import { accountVariables, type ConnectorVariables } from './variables.ts';
import { sysUpTime } from './version-1.ts';

export function createConnector(options: ConnectorOptions<ConnectorVariables>): Connector {
  return new SnmpConnector(options);
}

interface Agent {
  readonly host: Host;
  readonly session: AgentSession;
  readonly reader: AgentReader;
}

class SnmpConnector implements Connector {
  readonly #options: ConnectorOptions<ConnectorVariables>;
  readonly #hosts: readonly Host[];
  readonly #accounts: ReadonlyMap<string, Account>;
  /** Of the connector's own variables: at most one of a community, and one of a user. */
  readonly #main: readonly Account[];
  readonly #poller: Poller<ReadRequest>;
  readonly #traps: TrapPoints;
  readonly #names: HostNames;
  /** Between `connect` and `close`. */
  #agents = new Map<string, Agent>();
  #listener: TrapListener | undefined;
  /** The addresses of the agents, to know their traps by. */
  #addresses = new Map<string, ReadonlySet<string>>();
  #objects = new Map<number, PlannedObject>();
  #unreadable: StackPoint[] = [];
  #hasCommands = false;
  #lastRequests = new Map<number, ReadRequest>();
  /** Those that are not answered yet. */
  readonly #sets = new Set<Promise<Pdu>>();

  constructor(options: ConnectorOptions<ConnectorVariables>) {
    const { variables, clock, meter, log, publish } = options;
    this.#options = options;
    this.#names = new HostNames(clock);
    this.#hosts = parseHosts(variables.hosts, variables.port);
    this.#accounts = accountsOf(accountVariables, variables.accounts);
    this.#main = mainAccounts(variables);
    this.#poller = new Poller<ReadRequest>({
      clock,
      meter,
      log,
      publish,
      reconnectMaxMs: options.reconnectMaxMs,
      scanPeriodMs: variables.scanPeriodMs,
      deviceOf: ({ id }) => this.#agentName(this.#objects.get(id)?.address) ?? '',
      plan: (points) => this.#plan(points),
      read: (request, batch, signal) => this.#read(request, batch, signal),
      requestsAtOnce: variables.requestsAtOnce,
    });
    this.#traps = new TrapPoints({
      clock,
      publish,
      isAgent: (agent, address) => this.#addresses.get(agent)?.has(asCompared(address)) === true,
    });
  }

  setPoints({ measurements, commands }: StackPoints): void {
    const { log, variables } = this.#options;
    const traps: PlannedObject[] = [];
    this.#objects = new Map();
    this.#unreadable = [];
    this.#hasCommands = commands.length > 0;
    for (const point of measurements) {
      const address = parseAddress(point.address);
      if (typeof address === 'string' || !this.#isKnown(address)) {
        this.#unreadable.push(point);
        log.warn(`${point.name}: ${typeof address === 'string' ? address : this.#whichAgents(address)}`);
      } else if (!address.isTrap) {
        this.#objects.set(point.id, { point, address });
      } else if (variables.trapPort === 0) {
        this.#unreadable.push(point);
        log.warn(`${point.name}: traps are not received while the variable trapPort is 0: set it`);
      } else {
        traps.push({ point, address });
      }
    }
    this.#lastRequests = new Map([...this.#lastRequests].filter(([id]) => this.#objects.has(id)));
    this.#poller.setPoints([...this.#objects.values()].map(({ point }) => point));
    this.#traps.setPoints(traps);
    if (this.#agents.size > 0) this.#publishRest();
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { clock, log, variables } = this.#options;
    const { timeoutMs, retries } = variables;
    for (const host of this.#hosts) {
      const resolve = () => this.#resolve(host);
      const session = new AgentSession({ host, clock, timeoutMs, retries, account: this.#accountOf(host), resolve });
      this.#agents.set(host.name, { host, session, reader: new AgentReader(host.name, session, { clock, log }) });
    }
    this.#traps.begin();
    if (variables.trapPort > 0) await this.#listen(signal);
    if (this.#objects.size > 0) await this.#poller.probe(signal);
    else if (this.#hasCommands || this.#traps.size === 0) await this.#probe(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#publishRest();
    for (;;) {
      try {
        return await this.#poller.run(signal);
      } catch (error) {
        if (!(await this.#wereBusy(signal))) throw error;
      }
    }
  }

  /** Agents that answer no read while they carry out a set are not lost: the set has its own time, which is waited for. */
  async #wereBusy(signal: AbortSignal): Promise<boolean> {
    const outcomes = await unlessAborted(signal, Promise.allSettled(this.#sets));
    return outcomes.some(({ status }) => status === 'fulfilled');
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const address = parseAddress(command.address);
    if (typeof address === 'string') return written.refused(address);
    const agent = this.#agents.get(this.#agentName(address) ?? '');
    if (agent === undefined) {
      return this.#agents.size === 0
        ? written.notSent('the link is down')
        : written.refused(this.#whichAgents(address));
    }
    let varbind: Varbind;
    try {
      varbind = encodeValue(address.oid, value, address.form ?? writeFormsOf(command.datatype)[0] ?? 'integer');
    } catch (error) {
      if (error instanceof Unfit) return written.refused(error.message);
      throw error;
    }
    const { meter, clock, mayWrite } = this.#options;
    const startMs = clock.monotonicMs();
    if (!mayWrite()) return written.notPermitted;
    try {
      const set = agent.session.set(encodeVarbinds([varbind]), signal);
      this.#sets.add(set);
      const pdu = await set.finally(() => this.#sets.delete(set));
      meter.answered(clock.monotonicMs() - startMs);
      if (pdu.errorStatus !== 0) return setFailure(pdu.errorStatus);
      if (pdu.varbinds[0]?.oid === address.oid) return written.accepted;
      return written.unknown('the agent answers with another object');
    } catch (error) {
      meter.failed();
      if (error instanceof Reported) return written.refused(error.message);
      if (error instanceof NotConnected) return written.notSent(error.message);
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const { session } of this.#agents.values()) session.close();
    this.#agents.clear();
    this.#listener?.close();
    this.#listener = undefined;
  }

  detail(): InstanceDetail {
    return this.#poller.detail();
  }

  explain(point: StackPoint): ReadingTrace | undefined {
    const address = parseAddress(point.address);
    if (typeof address === 'string') return undefined;
    if (address.isTrap) return this.#traps.explain(point, address);
    const request = this.#lastRequests.get(point.id);
    const at = request?.objects.findIndex((object) => object.point.id === point.id) ?? -1;
    if (request === undefined || at < 0 || request.endedUs === 0) return undefined;
    const varbind = request.answers[at];
    const value = varbind === undefined ? undefined : readValue(varbind, point.datatype, address.form);
    const others = request.objects.length === 1 ? '' : ` among ${request.objects.length}`;
    return {
      timeUs: request.endedUs,
      request: `${request.bulk === undefined ? 'GET' : 'GETBULK'} ${nameOfOid(address.oid)} (${address.oid})${others}`,
      raw: varbind === undefined ? undefined : `${typeName(varbind.tag)} ${hexOf(varbind.content)}`.trimEnd(),
      value,
      error: value === undefined ? (request.failure ?? whyNot(varbind, point)) : undefined,
      device: request.agent,
      scanPeriodMs: this.#poller.groupOf(point),
    };
  }

  async browse(request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    if (this.#hosts.length > 1 && request.path === undefined) return browseHosts(this.#hosts, request);
    const [, name, path] = /^(?:([^/]*)\/)?(.*)$/.exec(request.path ?? '') ?? [];
    const agent = this.#agents.get(name ?? this.#hosts[0]?.name ?? '');
    if (agent === undefined || (name === undefined && this.#hosts.length > 1)) {
      throw new Refused(`there is no agent ${name ?? ''}: one of ${this.#hosts.map((host) => host.name).join(', ')}`);
    }
    const prefix = this.#hosts.length > 1 ? agent.host.name : undefined;
    try {
      return await browseAgent(agent.session, prefix, { ...request, path: path === '' ? undefined : path }, signal);
    } catch (error) {
      throw error instanceof NoAnswer ? new Refused(`${agent.host.name}: ${error.message}`) : error;
    }
  }

  #accountOf({ account }: Host): Account {
    const { version } = this.#options.variables;
    const found =
      account === undefined ? this.#main.find((each) => each.version === version) : this.#accounts.get(account);
    if (found === undefined) throw new Fatal(`there is no account ${account ?? `of version ${version}`}`);
    return found;
  }

  #agentName(address: Address | undefined): string | undefined {
    return address?.agent ?? (this.#hosts.length === 1 ? this.#hosts[0]?.name : undefined);
  }

  #isKnown(address: Address): boolean {
    const name = address.isTrap ? address.agent : this.#agentName(address);
    return name === undefined ? address.isTrap : this.#hosts.some((host) => host.name === name);
  }

  #whichAgents({ agent }: Address): string {
    const names = this.#hosts.map((host) => host.name).join(', ');
    return `${agent === undefined ? 'the address names no agent' : `there is no agent ${agent}`}: one of ${names}`;
  }

  #plan(points: readonly StackPoint[]): readonly ReadRequest[] {
    const objects = points.map(({ id }) => this.#objects.get(id)).filter((object) => object !== undefined);
    const [first] = objects;
    if (first === undefined) return [];
    const { variables } = this.#options;
    const name = this.#agentName(first.address) ?? '';
    const host = this.#hosts.find((each) => each.name === name);
    const isV1 = host !== undefined && this.#accountOf(host).version === '1';
    return planReads(name, objects, { ...variables, bulk: variables.bulk && !isV1 });
  }

  async #read(request: ReadRequest, batch: Batch, signal: AbortSignal): Promise<void> {
    const agent = this.#agents.get(request.agent);
    if (agent === undefined) throw new NotConnected('the link is closed');
    for (const { id } of request.points) {
      if (this.#lastRequests.get(id) !== request) this.#lastRequests.set(id, request);
    }
    try {
      await agent.reader.read(request, batch, signal);
    } catch (error) {
      request.answers = [];
      request.failure = error instanceof Error ? error.message : String(error);
      request.endedUs = this.#options.clock.now();
      throw error;
    }
  }

  /** Where nothing is read: any answer of any agent is a sign of life. */
  async #probe(signal: AbortSignal): Promise<void> {
    const question = { type: pduType.get, varbinds: encodeVarbinds([asked(sysUpTime)]) };
    try {
      await Promise.any([...this.#agents.values()].map(({ session }) => session.read(question, signal)));
    } catch (error) {
      signal.throwIfAborted();
      const [first] = error instanceof AggregateError ? error.errors : [error];
      throw new NotConnected(`no agent answers: ${first instanceof Error ? first.message : first}`);
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, log, meter, turns, variables } = this.#options;
    const { trapHost, trapPort, trapSenders } = variables;
    const accounts = [...this.#main, ...this.#accounts.values()];
    const incoming = new Incoming({
      clock,
      allowed: AllowedClients.parse(trapSenders),
      openLevel: 'authNoPriv',
      accounts,
      engine: await LocalEngine.startFor(accounts, this.#options),
      hearsTraps: true,
    });
    this.#findAddresses();
    signal.throwIfAborted();
    const onTrap = this.#traps.take.bind(this.#traps);
    const place = { host: trapHost, port: trapPort };
    const listener = await TrapListener.listen({ ...place, incoming, clock, log, meter, turns, onTrap });
    this.#listener = listener;
    if (signal.aborted) await this.close();
    signal.throwIfAborted();
  }

  /** Nobody waits for it: a name that is not found must not keep the other agents' traps out. */
  #findAddresses(): void {
    for (const host of this.#hosts) {
      if (isIP(host.host) !== 0) this.#addresses.set(host.name, new Set([asCompared(host.host)]));
      else {
        this.#resolve(host).catch((error) =>
          this.#options.log.warn(`traps of ${host.name} cannot be recognised: ${error.message}`),
        );
      }
    }
  }

  /** Its traps are known by its newest addresses. */
  async #resolve({ name, host }: Host): Promise<string> {
    const found = await this.#names.addresses(host);
    this.#addresses.set(name, new Set(found.map(({ address }) => asCompared(address))));
    return found[0]?.address ?? '';
  }

  /** What the poller does not. */
  #publishRest(): void {
    const batch = new Batch(this.#unreadable.length);
    for (const { id } of this.#unreadable) batch.none(id, quality.bad.configurationError, this.#options.clock.now());
    if (batch.count > 0) this.#options.publish(batch);
    this.#traps.publishAll();
  }
}

function mainAccounts(variables: ConnectorVariables): Account[] {
  const { version, community, user } = variables;
  const accounts: Account[] = [];
  if (community !== '') {
    accounts.push(communityAccount('the community', version === '1' ? '1' : '2c', community, false));
  }
  if (user !== '') accounts.push(userAccount(variables, false));
  return accounts;
}

/** An address of IP version 6 can be written in many ways, and with a zone. */
function asCompared(address: string): string {
  if (!isIPv6(address)) return address;
  return new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' }).address;
}

/**
 * With undoFailed the agent says that something was set. By RFC 3416 commitFailed and genErr leave everything as it was,
 * but an agent with parts of its own behind it (AgentX, a gateway to a field bus) answers them as well where one of those
 * was asked and did not answer: it may have it. What the standard does not have says nothing.
 */
function setFailure(status: number): WriteResult {
  const { genErr, commitFailed, undoFailed } = errorStatus;
  const isUnclear = status === genErr || status === commitFailed || status === undoFailed || !isStandardStatus(status);
  const text = `the agent answers ${statusName(status)}`;
  return isUnclear ? written.unknown(text) : written.refused(text);
}

function whyNot(varbind: Varbind | undefined, { datatype }: StackPoint): string {
  if (varbind === undefined) return 'the agent did not answer it';
  if (isException(varbind.tag)) return `the agent has no such object: ${typeName(varbind.tag)}`;
  return `${typeName(varbind.tag)} cannot be read as the datatype ${datatype}`;
}
