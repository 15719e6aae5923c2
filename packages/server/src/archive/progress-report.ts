// The progress of a long task as an async iterable: a slow consumer sees only the newest.
import type { ArchiveProgress } from './archive-access.ts';

export class ProgressReport implements AsyncIterable<ArchiveProgress> {
  #newest: ArchiveProgress | undefined;
  #error: Error | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  add(progress: ArchiveProgress): void {
    this.#newest = progress;
    this.#wake?.();
  }

  end(last: ArchiveProgress): void {
    this.#isOver = true;
    this.add(last);
  }

  fail(error: Error): void {
    this.#error = error;
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ArchiveProgress, void> {
    for (;;) {
      const newest = this.#newest;
      this.#newest = undefined;
      if (newest !== undefined) yield newest;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
