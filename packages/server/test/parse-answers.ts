// Reads answers back, for tests: CSV and columns, by the words of their formats alone.
import assert from 'node:assert/strict';
import type { Aggregate, Datatype, Value } from '@telltale/schema';
import { simulated } from '../src/archive/records.ts';

export interface PlainRecord {
  readonly time: number;
  readonly value: Value;
  readonly quality: number;
}

export interface PlainSeries {
  readonly name: string;
  readonly datatype: Datatype;
  /** Of several. */
  readonly aggregate?: Aggregate;
  /** In time order. */
  readonly records: readonly PlainRecord[];
}

/** As RFC 4180 says. */
export function parseCsv(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  while (field.lastIndex < csv.length) {
    const [, quoted, plain = '', end] = field.exec(csv) ?? assert.fail(`no field at ${csv.slice(field.lastIndex)}`);
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** By the words of the format alone. Where there are flags, `simulated` of them is added to the quality. */
export function parseBinary(bytes: Buffer): PlainSeries[] {
  const frames: PlainSeries[] = [];
  let at = 0;
  const pad = () => (at = Math.ceil(at / 8) * 8);
  for (;;) {
    const magic = bytes.toString('latin1', at, at + 4);
    if (magic !== 'TTCF' && magic !== 'TTCA') break;
    const datatype = String.fromCharCode(bytes[at + 5] as number) as Datatype;
    const hasFlags = ((bytes[at + 4] as number) & 0x80) !== 0;
    const nameLength = bytes.readUInt16LE(at + 6);
    const count = bytes.readUInt32LE(at + 8);
    const textBytes = bytes.readUInt32LE(at + 12);
    at += 16;
    const word = magic === 'TTCA' ? bytes.toString('latin1', at, at + 16).replaceAll('\0', '') : undefined;
    if (word !== undefined) at += 16;
    const name = bytes.toString('utf8', at, at + nameLength);
    at += nameLength;
    pad();
    const times = Array.from({ length: count }, (_, index) => bytes.readDoubleLE(at + 8 * index));
    at += 8 * count;
    let found: Value[] = [];
    if (datatype === 's') {
      let textAt = at + Math.ceil((4 * count) / 8) * 8;
      const textEnd = textAt + textBytes;
      for (let index = 0; index < count; index++) {
        const length = bytes.readUInt32LE(at + 4 * index);
        found.push(bytes.toString('utf8', textAt, textAt + length));
        textAt += length;
      }
      assert.equal(textAt, textEnd);
      at = textEnd;
      pad();
    } else {
      found = times.map((_, index) =>
        datatype === 'l' ? bytes.readBigInt64LE(at + 8 * index) : bytes.readDoubleLE(at + 8 * index),
      );
      at += 8 * count;
    }
    const qualities = Array.from(bytes.subarray(at, at + count));
    at += count;
    pad();
    if (hasFlags) {
      for (let index = 0; index < count; index++) {
        if (bytes[at + index] === 1) qualities[index] = (qualities[index] as number) + simulated;
      }
      at += count;
      pad();
    }
    const records = times.map((us, index) => {
      const value = found[index] as Value;
      return { time: us, value: datatype === 'b' ? value === 1 : value, quality: qualities[index] as number };
    });
    frames.push({ name, datatype, records, ...(word !== undefined && { aggregate: word as Aggregate }) });
  }
  assert.equal(bytes.toString('latin1', at), `TTCE${'\0'.repeat(12)}`);
  return frames;
}
