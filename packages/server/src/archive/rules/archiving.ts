// Archiving on the side of the live objects: follows the configuration, takes every change, and passes the records that
// the rules make of it to the archive. Deadbands are in point-rules.ts; leaders, periods and alarms are here.
import type { Alarm, AlarmState, Clock, Datatype } from '@telltale/schema';
import { quality, triggerAuthority } from '@telltale/schema';
import type { Changes, Commands, Measurements, PastReading } from '../../points/index.ts';
import { packAlarm } from '../alarm-text.ts';
import { replaces, simulated } from '../records.ts';
import { type ClockJump, ClockWatch } from './clock-watch.ts';
import { DueQueue } from './due-queue.ts';
import { Followers } from './followers.ts';
import { PastReadings } from './past-readings.ts';
import { type LivePoints, PointRules } from './point-rules.ts';
import { type ArchivingCounts, Recorder, type RecordSink } from './recorder.ts';
import { Retentions } from './retentions.ts';
import { flag, isArchived, type Point, RuleTable } from './rule-table.ts';

export interface ArchivingOptions {
  readonly clock: Clock;
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly sink: RecordSink;
  readonly onJump: (jump: ClockJump) => void;
}

export interface AlarmTransition {
  readonly name: string;
  readonly timeUs: number;
  readonly state: AlarmState;
  readonly description: string;
  readonly authority: string;
}

/** Of before the start, as it is stored. */
type LastTransition = Omit<AlarmTransition, 'description'> & { readonly message?: string | undefined };

export interface ArchivingStats {
  readonly counts: ArchivingCounts;
  /** Whose time was wrong: `kind/name` of the first thousand. */
  readonly astrayNames: readonly string[];
  /** How often the time of day was set. */
  readonly jumpCount: number;
  /** The newest hundred of these. */
  readonly jumps: readonly ClockJump[];
  /** Of objects with an age of their own, in microseconds, by `kind/name`. */
  readonly retentions: ReadonlyMap<string, number>;
}

/** The points of one kind. Those of both kinds together are numbered: twice the handle, and `bit`. */
interface Side {
  readonly kind: 'measurements' | 'commands';
  readonly bit: 0 | 1;
  readonly live: LivePoints & { find(name: string): number };
  readonly table: RuleTable;
  readonly rules: PointRules;
}

/** A new point whose rules are prepared and not in effect yet. */
interface Coming {
  readonly number: number;
  readonly name: string;
  readonly datatype: Datatype;
  /** Of its rules; undefined: it is not archived. */
  readonly flags: number | undefined;
  readonly leader: string | undefined;
  readonly hasPeriod: boolean;
  /** Undefined where the retention of its records has not changed. */
  readonly newRetention: Point | undefined;
}

/** Of periods that are over at the same time, so many are archived in one go; then others have their turn. */
const mostInTurn = 4096;
/** Times of the even clock that differ by less are the same. */
const sameMs = 0.001;

export class Archiving {
  /** The retention of records whose object has its own. */
  readonly retentions = new Retentions();
  readonly #clock: Clock;
  readonly #recorder: Recorder;
  readonly #watch: ClockWatch;
  readonly #sides: { readonly [K in Side['kind']]: Side };
  /** From the names of alarms that are archived to the references of their series. */
  readonly #alarms = new Map<string, number>();
  /** Of alarms before the start, until they are put. */
  readonly #lastTransitions = new Map<string, LastTransition>();
  readonly #coming: Coming[] = [];
  readonly #followers = new Followers();
  readonly #past: PastReadings;
  readonly #dues = new DueQueue();
  #armedMs = Number.POSITIVE_INFINITY;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor({ clock, measurements, commands, sink, onJump }: ArchivingOptions) {
    this.#clock = clock;
    this.#recorder = new Recorder(clock, sink);
    this.#watch = new ClockWatch(clock, onJump);
    this.#sides = {
      measurements: this.#sideOf('measurements', measurements, quality.bad.notConnected),
      commands: this.#sideOf('commands', liveCommands(commands), 0),
    };
    const { table } = this.#sides.measurements;
    this.#past = new PastReadings({ live: measurements, table, recorder: this.#recorder });
  }

  /** Readings of the past of measurements. Answers how many are archived. */
  onPast(readings: Iterable<PastReading>): number {
    if (this.#isClosed) return 0;
    this.#recorder.begin();
    const before = this.#recorder.counts.handedOn;
    for (const { handle, value, quality: status, timeUs } of readings) this.#past.offer(handle, value, status, timeUs);
    this.#recorder.end();
    return this.#recorder.counts.handedOn - before;
  }

  get counts(): ArchivingCounts {
    const { counts } = this.#recorder;
    return { ...counts, suppressed: { ...counts.suppressed } };
  }

  stats(): ArchivingStats {
    const astrayNames = [...this.#recorder.astrayNames];
    const { count: jumpCount, last } = this.#watch;
    return { counts: this.counts, astrayNames, jumpCount, jumps: [...last], retentions: this.retentions.ofSeries };
  }

  /** Prepares the rules of a new point; `showNew` or `discardNew` follows. */
  prepare(kind: Side['kind'], handle: number, point: Point): void {
    const side = this.#sides[kind];
    const { name, datatype, leader, archPeriod = 0 } = point;
    const flags = isArchived(point) ? side.table.define(handle, point, this.#seriesRefOf(kind, point)) : undefined;
    const hasNewRetention = !this.retentions.isSame(kind, point);
    this.#coming.push({
      number: 2 * handle + side.bit,
      name,
      datatype,
      flags,
      leader,
      hasPeriod: archPeriod > 0,
      newRetention: hasNewRetention ? point : undefined,
    });
  }

  /** Puts the prepared rules into effect, after the live points are visible. */
  showNew(): void {
    const coming = this.#coming.splice(0);
    this.#recorder.begin();
    for (const { number, datatype, flags } of coming) {
      if (flags === undefined) continue;
      const { table, rules } = this.#side(number);
      table.begin(number >>> 1, datatype, flags, this.#recorder.nowMs);
      rules.offerFirst(number >>> 1);
    }
    for (const { number, name, leader, hasPeriod, newRetention } of coming) {
      if (newRetention !== undefined) this.retentions.put(this.#side(number).kind, newRetention);
      if (leader !== undefined) this.#follow(number, leader);
      if (this.#followers.of(name) !== undefined) this.#markLeader(name);
      if (hasPeriod) this.#await(number);
    }
    this.#recorder.end();
  }

  discardNew(): void {
    this.#coming.length = 0;
  }

  /** The point is configured, or configured otherwise: after the live one was put. */
  put(kind: Side['kind'], handle: number, point: Point): void {
    const { bit, table, rules } = this.#sides[kind];
    const number = 2 * handle + bit;
    this.#recorder.begin();
    if (isArchived(point)) {
      const flags = table.define(handle, point, this.#seriesRefOf(kind, point));
      table.begin(handle, point.datatype, flags, this.#recorder.nowMs);
    } else table.clear(handle);
    if (kind === 'measurements') this.#past.forget(handle);
    rules.offerFirst(handle);
    this.retentions.put(kind, point);
    this.#follow(number, point.leader);
    this.#markLeader(point.name);
    this.#await(number);
    this.#recorder.end();
  }

  /** Before the live one is removed. */
  remove(kind: Side['kind'], handle: number, name: string): void {
    const { bit, table } = this.#sides[kind];
    const number = 2 * handle + bit;
    table.clear(handle);
    if (kind === 'measurements') this.#past.forget(handle);
    this.#follow(number, undefined);
    this.#await(number);
    this.#markLeader(name, kind);
  }

  /** What the archive and the alarms were before the start; before the first object is put. */
  restore(retentions: ReadonlyMap<string, number>, alarms: Iterable<LastTransition>): void {
    this.retentions.restore(retentions);
    for (const alarm of alarms) this.#lastTransitions.set(alarm.name, alarm);
  }

  /** Before the live one is put, whose trigger may raise it at once. */
  putAlarm(alarm: Alarm): void {
    const { name, archMode } = alarm;
    this.retentions.put('alarms', alarm);
    const last = this.#lastTransitions.get(name);
    this.#lastTransitions.delete(name);
    if (archMode !== 'change') {
      this.#alarms.delete(name);
      return;
    }
    this.#alarms.set(name, this.#recorder.sink.refOf({ kind: 'alarms', name, datatype: 's' }));
    if (last !== undefined && last.timeUs > 0)
      this.#recordAlarm({ ...last, description: alarm.description ?? last.message ?? '' }, replaces);
  }

  removeAlarm(name: string): void {
    this.#alarms.delete(name);
  }

  onChanges(changes: Changes): void {
    if (this.#isClosed) return;
    this.#recorder.begin();
    this.#sides.measurements.rules.apply(changes);
    this.#recorder.end();
  }

  onCommand(handle: number): void {
    const { table, rules } = this.#sides.commands;
    if (this.#isClosed || (table.flagsOf(handle) & flag.change) === 0) return;
    this.#recorder.begin();
    rules.offer(handle);
    this.#recorder.end();
  }

  onAlarm(transition: AlarmTransition): void {
    this.#recordAlarm(transition, 0);
  }

  close(): void {
    this.#isClosed = true;
    this.#watch.close();
    this.#stopTimer?.();
  }

  #recordAlarm(transition: AlarmTransition, bits: number): void {
    const { name, timeUs, authority } = transition;
    const ref = this.#alarms.get(name);
    if (this.#isClosed || ref === undefined) return;
    const mark = authority === triggerAuthority.simulated ? simulated : 0;
    this.#recorder.begin();
    this.#recorder.counts.offered++;
    this.#recorder.record('alarms', name, ref, packAlarm(transition), bits | mark, timeUs);
    this.#recorder.end();
  }

  #sideOf(kind: Side['kind'], live: Side['live'], emptyQuality: number): Side {
    const bit = kind === 'measurements' ? 0 : 1;
    const table = new RuleTable();
    const onLead = (handle: number, timeUs: number) => this.#lead(2 * handle + bit, timeUs);
    const recorder = this.#recorder;
    return { kind, bit, live, table, rules: new PointRules({ kind, live, table, recorder, emptyQuality, onLead }) };
  }

  #side(number: number): Side {
    return (number & 1) === 0 ? this.#sides.measurements : this.#sides.commands;
  }

  #seriesRefOf(kind: Side['kind'], { name, datatype }: Point): number {
    return this.#recorder.sink.refOf({ kind, name, datatype });
  }

  #follow(number: number, leader: string | undefined): void {
    const before = this.#followers.leaderOf(number);
    this.#followers.set(number, leader);
    if (before !== undefined) this.#markLeader(before);
    if (leader !== undefined) this.#markLeader(leader);
  }

  /** A measurement leads before a command of the same name. The one that is going does not. */
  #markLeader(name: string, going?: Side['kind']): void {
    let isWanted = this.#followers.of(name) !== undefined;
    for (const { kind, live, table } of [this.#sides.measurements, this.#sides.commands]) {
      const handle = kind === going ? -1 : live.find(name);
      if (handle < 0) continue;
      if (table.hasRules(handle)) table.setFlag(handle, flag.leads, isWanted);
      isWanted = false;
    }
  }

  /** All followers, transitively. One that has a record of this time gets no other: a rendering may leave a circle. */
  #lead(leader: number, timeUs: number): void {
    const leaders = new Set([leader]);
    for (const number of leaders) {
      const { live } = this.#side(number);
      for (const follower of this.#followers.of(live.nameOf(number >>> 1)) ?? []) {
        const { table, rules } = this.#side(follower);
        const handle = follower >>> 1;
        if (!rules.follow(handle, timeUs)) continue;
        if ((table.flagsOf(handle) & flag.leads) !== 0) leaders.add(follower);
      }
    }
  }

  /** Records put the end of a period off; that is looked at when it comes, so that no record costs anything here. */
  #await(number: number): void {
    const dueMs = this.#side(number).table.dueMsOf(number >>> 1);
    if (dueMs === Number.POSITIVE_INFINITY) this.#dues.delete(number);
    else this.#dues.set(number, dueMs);
    this.#arm();
  }

  #arm(): void {
    const dueMs = this.#dues.firstDue;
    if (this.#isClosed || dueMs >= this.#armedMs) return;
    this.#stopTimer?.();
    this.#armedMs = dueMs;
    const leftMs = dueMs - this.#clock.monotonicMs();
    const waitMs = leftMs < sameMs ? 0 : Math.ceil(leftMs - sameMs);
    this.#stopTimer = this.#clock.after(waitMs, () => this.#onDue());
  }

  #onDue(): void {
    this.#armedMs = Number.POSITIVE_INFINITY;
    this.#recorder.begin();
    const untilMs = this.#recorder.nowMs + sameMs;
    for (let turn = 0; turn < mostInTurn && this.#dues.firstDue <= untilMs; turn++) {
      const number = this.#dues.first;
      const { table, rules } = this.#side(number);
      const handle = number >>> 1;
      if (table.dueMsOf(handle) <= untilMs) rules.repeat(handle);
      this.#dues.set(number, table.dueMsOf(handle));
    }
    this.#recorder.end();
    this.#arm();
  }
}

/** Commands have no quality. */
function liveCommands(commands: Commands): Side['live'] {
  return {
    find: (name) => commands.find(name),
    nameOf: (handle) => commands.nameOf(handle),
    datatypeOf: (handle) => commands.datatypeOf(handle),
    numberOf: (handle) => commands.valueOf(handle) as number,
    valueOf: (handle) => commands.valueOf(handle),
    qualityOf: () => 0,
    timeOf: (handle) => commands.timeOf(handle),
  };
}
