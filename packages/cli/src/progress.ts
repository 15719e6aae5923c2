// A bar on the standard error while something long is on its way; nothing where that is no terminal.
import type { Clock } from '@telltale/schema';
import type { Terminal } from './terminal.ts';

const width = 24;
const everyMs = 100;

export class Progress {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #label: string;
  readonly #total: number | undefined;
  readonly #unit: (amount: number) => string;
  #done = 0;
  #shownMs = Number.NEGATIVE_INFINITY;

  constructor(
    { terminal, clock }: { terminal: Terminal; clock: Clock },
    label: string,
    total: number | undefined,
    unit: (amount: number) => string = bytesText,
  ) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#label = label;
    this.#total = total;
    this.#unit = unit;
    this.#show();
  }

  add(amount: number): void {
    this.#done += amount;
    if (this.#done === this.#total || this.#clock.monotonicMs() - this.#shownMs >= everyMs) this.#show();
  }

  get done(): number {
    return this.#done;
  }

  /** Takes the bar away. */
  end(): void {
    this.#terminal.bar('');
  }

  #show(): void {
    if (!this.#terminal.hasProgress) return;
    this.#shownMs = this.#clock.monotonicMs();
    this.#terminal.bar(`${this.#label} ${this.#bar()}`);
  }

  #bar(): string {
    if (this.#total === undefined || this.#total === 0) return this.#done === 0 ? '…' : this.#unit(this.#done);
    const share = Math.min(1, this.#done / this.#total);
    const full = Math.round(share * width);
    return `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${this.#unit(this.#done)} of ${this.#unit(this.#total)}`;
  }
}

export function bytesText(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`;
  if (bytes < 10_000_000) return `${Math.round(bytes / 1000)} kB`;
  return bytes < 10_000_000_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

export function recordsText(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'record' : 'records'}`;
}
