// Which processes belong to which run, as /proc shows them: by a user that only this run has, by their mark, by the session
// of the first, by descent. Once known, a process stays known, whatever it does to itself or becomes of its parent.
import { type ProcessEntry, readMark, readProcesses, readUser } from './process-table.ts';
import { runMark } from './sweep.ts';

export type Members = ReadonlyMap<number, readonly ProcessEntry[]>;

interface Known {
  readonly startTicks: number;
  /** Undefined: somebody else's. */
  readonly run: number | undefined;
}

export class Census {
  readonly #folderId: string;
  readonly #runs = new Set<number>();
  readonly #leaders = new Map<number, ProcessEntry>();
  readonly #users = new Map<number, number>();
  #known = new Map<number, Known>();
  #running: Promise<Members> | undefined;
  #next: Promise<Members> | undefined;

  constructor(folderId: string) {
    this.#folderId = folderId;
  }

  /** The first process of a run, which has made a session; and its user, where no other program has it. */
  add(run: number, leader: ProcessEntry | undefined, uid: number | undefined): void {
    this.#runs.add(run);
    if (uid !== undefined) this.#users.set(run, uid);
    if (leader === undefined) return;
    this.#leaders.set(run, leader);
    this.#known.set(leader.pid, { startTicks: leader.startTicks, run });
  }

  remove(run: number): void {
    this.#runs.delete(run);
    this.#leaders.delete(run);
    this.#users.delete(run);
  }

  /** Starts after the call: it sees all that was started before. Later callers share the one that follows. */
  take(): Promise<Members> {
    this.#next ??= this.#takeNext();
    return this.#next;
  }

  async #takeNext(): Promise<Members> {
    await this.#running?.catch(() => undefined);
    const taken = this.#take();
    this.#running = taken;
    this.#next = undefined;
    return taken;
  }

  async #take(): Promise<Members> {
    const processes = await readProcesses();
    const runs = new Map<number, number | undefined>();
    const known = new Map<number, Known>();
    const leaders = [...this.#leaders].filter(([, { pid, startTicks }]) => isOne(processes.get(pid), startTicks));
    const sessions = new Map(leaders.map(([run, { pid }]) => [pid, run]));
    const users = this.#ownUsers();
    for (const entry of processes.values()) {
      const before = this.#known.get(entry.pid);
      if (before !== undefined && isOne(entry, before.startTicks)) {
        runs.set(entry.pid, before.run);
        known.set(entry.pid, before);
        continue;
      }
      const mark = await readMark(entry.pid, this.#folderId);
      // The user first: it is the one thing that a process cannot make up.
      const run = users.get(readUser(entry.pid) ?? -1) ?? this.#runOf(mark) ?? sessions.get(entry.session);
      runs.set(entry.pid, run);
      // What has another's mark, or none, will never have ours; what cannot be read may be about to become a program.
      const isForeign = mark !== undefined && !mark.startsWith(`${this.#folderId}.`);
      if (run !== undefined || isForeign) known.set(entry.pid, { startTicks: entry.startTicks, run });
    }
    const members = new Map<number, ProcessEntry[]>();
    for (const entry of processes.values()) {
      const run = descent(entry, processes, runs);
      if (run === undefined) continue;
      known.set(entry.pid, { startTicks: entry.startTicks, run });
      members.set(run, [...(members.get(run) ?? []), entry]);
    }
    // Those that were added meanwhile stay known.
    for (const [pid, each] of this.#known) {
      if (each.run !== undefined && this.#leaders.get(each.run)?.pid === pid) known.set(pid, each);
    }
    this.#known = known;
    return members;
  }

  /** Where thousands of modules have taken all numbers, two may have the same: then it proves nothing. */
  #ownUsers(): Map<number, number> {
    const users = new Map<number, number>();
    const shared = new Set<number>();
    for (const [run, uid] of this.#users) {
      if (users.has(uid)) shared.add(uid);
      users.set(uid, run);
    }
    for (const uid of shared) users.delete(uid);
    return users;
  }

  /** A mark of a run that there is not was made up: it proves nothing. */
  #runOf(mark: string | undefined): number | undefined {
    const run = Number(mark?.slice(this.#folderId.length + 1));
    return mark === runMark(this.#folderId, run) && this.#runs.has(run) ? run : undefined;
  }
}

const isOne = (entry: ProcessEntry | undefined, startTicks: number) => entry?.startTicks === startTicks;

/** Of the nearest forebear that has one. */
function descent(
  entry: ProcessEntry,
  processes: ReadonlyMap<number, ProcessEntry>,
  runs: Map<number, number | undefined>,
): number | undefined {
  const passed: number[] = [];
  let run: number | undefined;
  for (let at: ProcessEntry | undefined = entry; at !== undefined; at = processes.get(at.parent)) {
    run = runs.get(at.pid);
    // A circle cannot be, but for a pid that was given away while the table was read.
    if (run !== undefined || passed.includes(at.pid)) break;
    passed.push(at.pid);
  }
  if (run !== undefined) for (const pid of passed) runs.set(pid, run);
  return run;
}
