// New lines of modules on their way to the server: gathered, at most so many bytes at a time, and no faster than they
// are taken. Excess lines are discarded, the oldest of the module with the most first, and counted.
import type { LogLine } from '@telltale/schema';
import type { Clock } from '@telltale/schema/values';
import { linesPeriodMs, maxLinesBytes } from './keeper-messages.ts';
import type { ModuleLines } from './keeper-protocol.ts';

interface PendingLines {
  readonly lines: LogLine[];
  /** Before this one all are gone. */
  first: number;
  bytes: number;
  skipped: number;
}

/** What a line costs beside its text. */
const lineBytes = 64;
const sizeOf = ({ text }: LogLine) => lineBytes + 2 * text.length;

export class LineBatches {
  readonly #clock: Clock;
  readonly #send: (batch: readonly ModuleLines[], onTaken: () => void) => void;
  #watched: ReadonlySet<string> | 'all' = new Set();
  #pending = new Map<string, PendingLines>();
  #bytes = 0;
  #sentMs = Number.NEGATIVE_INFINITY;
  #isOnItsWay = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, send: (batch: readonly ModuleLines[], onTaken: () => void) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  watch(modules: 'all' | readonly string[]): void {
    this.#watched = modules === 'all' ? 'all' : new Set(modules);
  }

  add(module: string, lines: readonly LogLine[]): void {
    if (this.#watched !== 'all' && !this.#watched.has(module)) return;
    const pending = this.#pending.get(module) ?? { lines: [], first: 0, bytes: 0, skipped: 0 };
    this.#pending.set(module, pending);
    for (const line of lines) {
      pending.lines.push(line);
      pending.bytes += sizeOf(line);
      this.#bytes += sizeOf(line);
      while (this.#bytes > maxLinesBytes) this.#leaveOut();
    }
    this.#schedule();
  }

  #leaveOut(): void {
    const [first, ...others] = this.#pending.values();
    if (first === undefined) return;
    const most = others.reduce((best, each) => (each.bytes > best.bytes ? each : best), first);
    const bytes = sizeOf(most.lines[most.first] as LogLine);
    most.first++;
    most.skipped++;
    most.bytes -= bytes;
    this.#bytes -= bytes;
    // Removing them one by one would move all others each time.
    if (most.first * 2 > most.lines.length) {
      most.lines.splice(0, most.first);
      most.first = 0;
    }
  }

  #schedule(): void {
    if (this.#isOnItsWay || this.#cancel !== undefined || this.#pending.size === 0) return;
    const inMs = Math.max(0, this.#sentMs + linesPeriodMs - this.#clock.monotonicMs());
    this.#cancel = this.#clock.after(inMs, () => {
      this.#cancel = undefined;
      this.#sentMs = this.#clock.monotonicMs();
      this.#isOnItsWay = true;
      const batch = [...this.#pending].map(([module, { lines, first, skipped }]) => ({
        module,
        lines: lines.slice(first),
        skipped,
      }));
      this.#pending = new Map();
      this.#bytes = 0;
      this.#send(batch, () => {
        this.#isOnItsWay = false;
        this.#schedule();
      });
    });
  }
}
