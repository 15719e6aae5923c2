// The faults of the archive's files. Damage is found by checksums; what is damaged is left out and reported.

export interface Damage {
  /** The name of the file, without its folder. */
  readonly file: string;
  /** The number of the series whose records are left out. */
  readonly series?: number;
  /** Where it is known: the times of the records that are left out. */
  readonly firstUs?: number;
  readonly lastUs?: number;
  readonly reason: string;
}

/** A part of a file cannot be read; the rest of it can. */
export class Damaged extends Error {
  readonly damage: Damage;

  constructor(damage: Damage) {
    super(`${damage.file}: ${damage.reason}`);
    this.damage = damage;
  }
}

export class DamagedBlock extends Damaged {}

/** A newer server wrote the file: it is intact, but this server must not touch it. */
export class NewerVersion extends Error {
  constructor(path: string, version: number, known: number) {
    super(
      `${path} has version ${version} of its format, and this server reads versions up to ${known}. ` +
        'A newer server wrote it: run that one, or restore the folder from a backup of before.',
    );
  }
}

/**
 * The disk did not confirm a write. What it has since the last good sync is unknown, and another sync proves nothing:
 * the journal is abandoned, and uncommitted records go into the journal of the next generation, which gets
 * `endOfPrevious`.
 */
export class SyncFailed extends Error {
  /** Bytes of the journal that are known to be on disk. */
  readonly endOfPrevious: number;

  constructor(path: string, endOfPrevious: number, cause: unknown) {
    super(`${path}: the disk did not confirm a write: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.endOfPrevious = endOfPrevious;
  }
}
