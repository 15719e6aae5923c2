// Verifies a trail, or a copy of one: every record is as it was written, in its place, and hangs on the one before; heads and
// cuts are signed; nothing that was acknowledged is missing. Reads, and changes nothing.
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TrailReport } from '@telltale/schema';
import { ControlFile } from '../sqlite/index.ts';
import { fieldsOf, noHash, type Place, type ReadLine, readLine } from './record-line.ts';
import { linesOf, type Segment, segmentsIn } from './segments.ts';
import { isSigned, publicKeysIn } from './signing.ts';
import { controlName, type TrailClaim, trailFolder } from './trail-writer.ts';

const mostFaults = 100;

/** The folder of a trail, or the data folder that it is in. `newest`: so many segments, the last ones; undefined: all. */
export function verifyTrail(path: string, newest?: number): TrailReport {
  const inside = join(path, trailFolder);
  const folder = basename(path) !== trailFolder && existsSync(inside) ? inside : path;
  return new Verification(folder).run(newest);
}

class Verification {
  readonly #folder: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #claim: TrailClaim | undefined;
  readonly #faults: string[] = [];
  readonly #notes: string[] = [];
  readonly #signers = new Set<string>();
  /** By the last sequence number that a cut removed, the hash of that record. */
  readonly #cuts = new Map<number, string>();
  #faultCount = 0;
  #records = 0;
  #heads = 0;
  #signedTo = 0;
  #first: ReadLine | undefined;
  #last: Place = { seq: 0, hash: noHash };
  /** Records beside the one that was acknowledged last, and those at the ends of cuts. */
  readonly #hashes = new Map<number, string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#keys = publicKeysIn(folder);
    this.#claim = new ControlFile<TrailClaim>(join(folder, controlName)).found;
  }

  run(newest?: number): TrailReport {
    const all = segmentsIn(this.#folder);
    const segments = newest === undefined ? all : all.slice(-newest);
    if (segments.length === 0) this.#fault('There are no segments: this is not the folder of an audit trail.');
    segments.forEach((segment, at) => {
      this.#segment(segment, at === segments.length - 1);
    });
    if (segments.length === all.length) this.#checkBeginning();
    this.#checkEnd();
    return {
      folder: this.#folder,
      records: this.#records,
      first: this.#first?.seq ?? 0,
      last: this.#last.seq,
      hash: this.#last.hash,
      heads: this.#heads,
      signedTo: this.#signedTo,
      keys: [...this.#signers],
      faults: this.#faults,
      faultCount: this.#faultCount,
      notes: this.#notes,
    };
  }

  #fault(text: string): void {
    this.#faultCount++;
    if (this.#faults.length < mostFaults) this.#faults.push(text);
  }

  #segment({ name, path, first }: Segment, isNewest: boolean): void {
    let number = 0;
    for (const lines of linesOf(path)) {
      for (const { bytes, isWhole } of lines) {
        const where = `${name}, line ${++number}`;
        if (!isWhole && isNewest) this.#torn(where, bytes.length);
        else this.#line(where, bytes, number === 1 ? first : undefined);
      }
    }
    if (number === 0) this.#notes.push(`${name} is empty.`);
  }

  /** Of a write that was interrupted, or of a record whose end was changed: then the last acknowledged one is missing. */
  #torn(where: string, bytes: number): void {
    this.#notes.push(
      `${where}: ${bytes} bytes of a write that was interrupted. The next start of the server cuts them off.`,
    );
  }

  #line(where: string, bytes: Buffer, first: number | undefined): void {
    const line = readLine(bytes);
    if (line === undefined) {
      this.#fault(`${where}, behind record ${this.#last.seq}: it is not as it was written.`);
      return;
    }
    this.#records++;
    this.#first ??= line;
    if (first !== undefined && first !== line.seq)
      this.#fault(`${where}: record ${line.seq} stands in the place of ${first}.`);
    this.#checkPlace(where, line);
    const fields = fieldsOf(bytes) ?? {};
    if (fields.kind === 'service') this.#checkSigned(where, line, fields);
    this.#last = { seq: line.seq, hash: line.hash };
    if (line.seq === this.#claim?.seq) this.#hashes.set(line.seq, line.hash);
  }

  #checkPlace(where: string, { seq, previous }: ReadLine): void {
    if (this.#records === 1) return;
    const { seq: lastSeq, hash } = this.#last;
    if (seq > lastSeq + 1) this.#fault(`${where}: the records ${lastSeq + 1} to ${seq - 1} are missing before ${seq}.`);
    else if (seq <= lastSeq) this.#fault(`${where}: record ${seq} stands behind ${lastSeq}.`);
    else if (previous !== hash)
      this.#fault(`${where}: record ${seq} does not follow the record ${lastSeq} that stands before it.`);
  }

  #checkSigned(where: string, { seq, previous }: ReadLine, fields: Record<string, unknown>): void {
    const { operation, time, key, signature, from, to, through } = fields;
    if (operation !== 'signHead' && operation !== 'cutTrail') return;
    const what = operation === 'signHead' ? 'head' : 'cut';
    const parts = [seq, String(time), previous, ...(what === 'cut' ? [Number(from), Number(to), String(through)] : [])];
    const known = this.#keys.get(String(key));
    if (known === undefined) this.#fault(`${where}: record ${seq} is signed with a key that is not here, ${key}.`);
    else if (!isSigned(known, what, parts, String(signature)))
      this.#fault(`${where}: the signature of record ${seq} is wrong.`);
    else {
      this.#heads++;
      this.#signedTo = seq;
      this.#signers.add(String(key));
      if (what === 'cut') this.#cuts.set(Number(to), String(through));
    }
  }

  /** What is missing in front was cut off, and that is signed. */
  #checkBeginning(): void {
    const { seq = 1, previous = noHash } = this.#first ?? {};
    if (seq === 1) {
      if (previous !== noHash) this.#fault('Record 1 says that there is one before it.');
      return;
    }
    const through = this.#cuts.get(seq - 1);
    if (through === previous) this.#notes.push(`The records up to ${seq - 1} were cut off after their retention.`);
    else if (through !== undefined)
      this.#fault(`Record ${seq} does not follow the record ${seq - 1} that was cut off.`);
    else if ([...this.#cuts.keys()].some((to) => to >= seq)) {
      this.#notes.push(`The records up to ${seq - 1} were cut off after their retention; more will be.`);
    } else this.#fault(`The records 1 to ${seq - 1} are missing, and no signed cut says so.`);
  }

  #checkEnd(): void {
    if (this.#claim === undefined) {
      this.#fault(`${controlName} is missing: whether the last records are there is not known.`);
      return;
    }
    const { seq, hash } = this.#claim;
    if (seq > this.#last.seq)
      this.#fault(`The records ${this.#last.seq + 1} to ${seq} are missing: they were acknowledged.`);
    else if (this.#hashes.get(seq) !== hash)
      this.#fault(`Record ${seq} is another than the one that was acknowledged.`);
    const behind = this.#last.seq - this.#signedTo;
    if (behind > 0) this.#notes.push(`The last ${behind} records are not signed yet.`);
  }
}
