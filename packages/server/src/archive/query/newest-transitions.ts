// The newest transitions of many alarms together, in one list. Goes over the alarms one by one and keeps what may be in the
// answer: once there is enough, nothing of the others is looked at that is older than the last one that is kept.
import { type PackedAlarm, toTimestamp, unpackAlarm } from '@telltale/schema/values';
import type { ReadRequest, TransitionPlace, TransitionsRequest } from '../archive-access.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { Arrival } from './block.ts';
import { NameSnapshot } from './name-snapshot.ts';
import { NewestFirst } from './newest-first.ts';
import { Page, PageBuffers } from './page.ts';
import { type Query, QueryContext, type QueryOptions, usualStepsATime, usualTurnMs } from './query.ts';
import { atEnd, atRun, type RecordRuns } from './record-runs.ts';

interface Transition extends PackedAlarm {
  readonly timeUs: number;
  readonly name: string;
}

/** Characters of the texts of an answer: with very long ones it has fewer transitions than were asked for. */
const mostCharacters = 4 << 20;

export class NewestTransitions implements Query {
  readonly #request: ReadRequest;
  readonly #asked: TransitionsRequest;
  readonly #context: QueryContext;
  readonly #untilUs: number;
  readonly #nowMs: () => number;
  readonly #stepsATime: number;
  readonly #page: Page;
  /** Of the current name, or of the one that is wanted next. */
  #name = 0;
  #runs: RecordRuns | undefined;
  /** In the current run. */
  #at = 0;
  #end = 0;
  /** At the time of `before`, those of its name that were given already, and are still to be passed over. */
  #given: number;
  /** In the order of the answer. */
  readonly #kept: Transition[] = [];
  #characters = 0;
  /** There are others, behind those that are kept. */
  #hasMore = false;
  /** How many of the kept ones are written; -1: nothing is. */
  #written = -1;
  #isOver = false;

  constructor(request: ReadRequest, options: QueryOptions) {
    this.#request = request;
    this.#asked = request.transitions as TransitionsRequest;
    const { before } = this.#asked;
    this.#given = before?.count ?? 0;
    this.#untilUs = Math.min(request.untilUs, before === undefined ? Number.POSITIVE_INFINITY : before.timeUs + 1);
    this.#context = new QueryContext(options);
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#stepsATime = options.stepsATime ?? usualStepsATime;
    this.#page = new Page(options.buffers ?? new PageBuffers());
  }

  get wanted(): string | undefined {
    return this.#runs === undefined ? this.#request.names[this.#name] : undefined;
  }

  get sinceUs(): number {
    const { sinceUs } = this.#request;
    return this.#hasMore ? Math.max(sinceUs, this.#last.timeUs) : sinceUs;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get awaited(): Arrival | undefined {
    return this.#context.awaited;
  }

  give(snapshot: Snapshot | undefined): void {
    const parts = snapshot?.series ?? [];
    const interval = { sinceUs: this.sinceUs, untilUs: this.#untilUs };
    if (parts.length === 0 || interval.sinceUs >= interval.untilUs) this.#name++;
    else this.#runs = new NewestFirst(new NameSnapshot(parts, this.#context), interval, this.#request.simulated);
  }

  next(turnMs = usualTurnMs): Uint8Array<ArrayBuffer> | undefined {
    if (this.#isOver) return undefined;
    const deadlineMs = this.#nowMs() + turnMs;
    this.#context.awaited = undefined;
    for (let steps = 1; !this.#isOver && !this.#page.isFull && this.wanted === undefined; steps++) {
      this.#step();
      const isTurnOver = steps % this.#stepsATime === 0 && this.#nowMs() >= deadlineMs;
      if (isTurnOver || this.awaited !== undefined) break;
    }
    return this.#isOver || this.#page.isFull ? this.#page.take() : new Uint8Array();
  }

  #step(): void {
    if (this.#runs === undefined) this.#write();
    else if (this.#at < this.#end) this.#look(this.#runs);
    else {
      const step = this.#runs.next();
      if (step === atEnd) this.#endName();
      else if (step === atRun) {
        this.#at = this.#runs.from;
        this.#end = this.#runs.to;
      }
    }
  }

  #endName(): void {
    this.#runs = undefined;
    this.#at = this.#end = 0;
    this.#name++;
  }

  /** At the rest of a run, which is no longer than that of other queries. */
  #look({ columns }: RecordRuns): void {
    const name = this.#request.names[this.#name] as string;
    for (; this.#at < this.#end; this.#at++) {
      const timeUs = columns.times[this.#at] as number;
      if (timeUs < this.sinceUs) {
        this.#endName();
        return;
      }
      const alarm = unpackAlarm(columns.texts[this.#at] as string);
      if (alarm === undefined) continue;
      const transition = { timeUs, name, ...alarm };
      if (this.#matches(transition) && this.#isBehind(transition)) this.#keep(transition);
    }
  }

  #matches({ name, state, description }: Transition): boolean {
    const { states, words = [] } = this.#asked;
    if (states !== undefined && !states.has(state)) return false;
    if (words.length === 0) return true;
    const text = `${name}\n${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  #isBehind({ timeUs, name }: Transition): boolean {
    const { before } = this.#asked;
    if (before === undefined || timeUs < before.timeUs) return true;
    if (name === before.name) return this.#given-- <= 0;
    return name > before.name;
  }

  #keep(transition: Transition): void {
    const at = this.#placeOf(transition);
    if (this.#hasMore && at === this.#kept.length) return;
    this.#kept.splice(at, 0, transition);
    this.#characters += charactersOf(transition);
    const { limit } = this.#asked;
    while (this.#kept.length > limit || (this.#characters > mostCharacters && this.#kept.length > 1)) {
      this.#characters -= charactersOf(this.#kept.pop() as Transition);
      this.#hasMore = true;
    }
  }

  /** Behind those that are the same: of one name they come in the order of the answer. */
  #placeOf({ timeUs, name }: Transition): number {
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#kept[middle] as Transition;
      const isBefore = other.timeUs === timeUs ? name < other.name : timeUs > other.timeUs;
      if (isBefore) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  get #last(): Transition {
    return this.#kept.at(-1) as Transition;
  }

  #write(): void {
    if (this.#written < 0) this.#page.text('{"transitions":[');
    else {
      const { timeUs, name, ...alarm } = this.#kept[this.#written] as Transition;
      const text = JSON.stringify({ name, t: toTimestamp(timeUs), ...alarm });
      this.#page.text(this.#written === 0 ? text : `,${text}`);
    }
    this.#written++;
    if (this.#written < this.#kept.length) return;
    this.#page.text(this.#hasMore ? `],"next":${JSON.stringify(placeText(this.#lastPlace()))}}` : ']}');
    this.#isOver = true;
  }

  #lastPlace(): TransitionPlace {
    const { timeUs, name } = this.#last;
    const { before } = this.#asked;
    const given = before?.timeUs === timeUs && before.name === name ? before.count : 0;
    const same = this.#kept.filter((each) => each.timeUs === timeUs && each.name === name);
    return { timeUs, name, count: given + same.length };
  }
}

function charactersOf({ authority, description }: Transition): number {
  return authority.length + description.length;
}

/** As `next` of an answer has it. */
export function placeText({ timeUs, name, count }: TransitionPlace): string {
  return `${timeUs}.${name}.${count}`;
}

/** A name of all sites is `site/name`. */
const place = /^(\d{1,16})\.((?:[\w-]{1,64}\/)?\w{1,64})\.(\d{1,9})$/;

/** Undefined where it is not of an answer. */
export function readPlace(text: string): TransitionPlace | undefined {
  const [, time, name, count] = place.exec(text) ?? [];
  if (time === undefined || name === undefined) return undefined;
  return { timeUs: Number(time), name, count: Number(count) };
}
