// Copies of a whole collection for readers: bytes on their way to a socket must not change. A copy that was given back is
// brought up to date and lent again, page by page where only some have changed; under load nothing is allocated.

/** The bytes of a collection, lent: they stay as they are until they are given back. */
export interface Lease {
  readonly bytes: Buffer;
  /** Once. A lease that is never given back costs its memory until it is collected, and no more. */
  release(): void;
}

/** Some slots behind each other, each with a comma at its end. */
export interface CopiedPage {
  readonly bytes: Buffer;
  readonly length: number;
  /** The version of the whole at which it last changed. */
  readonly version: number;
}

interface Copy {
  buffer: Buffer;
  bytes: Buffer;
  version: number;
  /** Copies of another layout have their pages elsewhere. */
  layout: number;
  readers: number;
}

/** Idle copies for the next reader; for as long as the memory is not needed otherwise. */
const mostIdle = 4;

export class CollectionCopies {
  #idle: WeakRef<Copy>[] = [];
  #newest: WeakRef<Copy> | undefined;

  /** `pages` have every value as it is at `version`. */
  lend(pages: readonly CopiedPage[], version: number, layout: number): Lease {
    const newest = this.#newest?.deref();
    const copy = newest?.version === version ? newest : this.#refresh(this.#takeIdle(), pages, version, layout);
    this.#newest = new WeakRef(copy);
    copy.readers++;
    return { bytes: copy.bytes, release: () => this.#release(copy) };
  }

  #release(copy: Copy): void {
    copy.readers--;
    if (copy.readers === 0 && this.#idle.length < mostIdle) this.#idle.push(new WeakRef(copy));
  }

  /** One without readers, or a new one. */
  #takeIdle(): Copy {
    for (let ref = this.#idle.pop(); ref !== undefined; ref = this.#idle.pop()) {
      const copy = ref.deref();
      if (copy !== undefined && copy.readers === 0) return copy;
    }
    const nothing = Buffer.alloc(0);
    return { buffer: nothing, bytes: nothing, version: -1, layout: -1, readers: 0 };
  }

  #refresh(copy: Copy, pages: readonly CopiedPage[], version: number, layout: number): Copy {
    if (copy.layout !== layout) {
      const length = pages.reduce((sum, page) => sum + page.length, 2);
      if (copy.buffer.length < length) copy.buffer = Buffer.allocUnsafeSlow(length);
      copy.bytes = copy.buffer.subarray(0, length === 2 ? 2 : length - 1);
      copy.version = -1;
      copy.layout = layout;
    }
    const { bytes } = copy;
    let at = 1;
    for (const page of pages) {
      if (page.version > copy.version) page.bytes.copy(copy.buffer, at, 0, page.length);
      at += page.length;
    }
    bytes[0] = 0x7b;
    bytes[bytes.length - 1] = 0x7d; // instead of the last comma
    copy.version = version;
    return copy;
  }
}
