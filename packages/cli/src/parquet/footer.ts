// The end of a Parquet file: the schema, where row groups and pages begin, and what is in them.
import type { Chunk, WrittenPage } from './chunk-writer.ts';
import { type Bounds, encodings, type Field, pageTypes, types, zstd } from './format.ts';
import { ThriftWriter } from './thrift-writer.ts';

const createdBy = 'telltale';
const version = 2;
const repetition = { required: 0, optional: 1 } as const;
const converted = { text: 0, time: 10 } as const;
const unordered = 0;

/** The chunks of a row group, a field each. */
export type RowGroup = readonly Chunk[];

interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Everything behind the row groups; `offset` is where it begins. `about` is for whoever reads the file. */
export function* footerBytes(
  fields: readonly Field[],
  groups: readonly RowGroup[],
  about: Readonly<Record<string, string>>,
  offset: number,
): Generator<Uint8Array> {
  const footer = new Footer();
  const places = { columnIndex: new Map<Chunk, Place>(), offsetIndex: new Map<Chunk, Place>() };
  let at = offset;
  for (const index of ['columnIndex', 'offsetIndex'] as const) {
    for (const chunk of groups.flat()) {
      const bytes = footer[index](chunk);
      if (bytes === undefined) continue;
      places[index].set(chunk, { offset: at, length: bytes.length });
      at += bytes.length;
      yield bytes;
    }
  }
  const bytes = footer.file(fields, groups, about, places);
  yield bytes;
  const end = Buffer.from('0000PAR1');
  end.writeUInt32LE(bytes.length);
  yield end;
}

type Places = Readonly<Record<'columnIndex' | 'offsetIndex', ReadonlyMap<Chunk, Place>>>;

/** What it returns is valid until it is called again. */
class Footer {
  readonly #thrift = new ThriftWriter();

  file(
    fields: readonly Field[],
    groups: readonly RowGroup[],
    about: Readonly<Record<string, string>>,
    places: Places,
  ): Uint8Array {
    const thrift = this.#thrift;
    return thrift.alone(() => {
      thrift.i32(1, version);
      thrift.structures<Field | undefined>(2, [undefined, ...fields], (field) => {
        if (field !== undefined) this.#field(field);
        else this.#root(fields.length);
      });
      thrift.i64(3, sumOf(groups, rowsOf));
      thrift.structures(4, groups, (group) => this.#group(group, places));
      thrift.structures(5, Object.entries(about), ([key, value]) => {
        thrift.text(1, key);
        thrift.text(2, value);
      });
      thrift.text(6, createdBy);
      // The least and greatest values are by the order of the type.
      thrift.structures(7, fields, () => thrift.structure(1, () => undefined));
    });
  }

  /** Of a column whose pages have bounds, all of them. */
  columnIndex({ pages }: Chunk): Uint8Array | undefined {
    const bounds = pages.flatMap((page) => page.bounds ?? []);
    if (bounds.length < pages.length || pages.length === 0) return undefined;
    const thrift = this.#thrift;
    return thrift.alone(() => {
      thrift.booleans(
        1,
        pages.map(() => false),
      );
      thrift.binaries(
        2,
        bounds.map(({ least }) => least),
      );
      thrift.binaries(
        3,
        bounds.map(({ greatest }) => greatest),
      );
      thrift.i32(4, unordered);
      thrift.i64s(
        5,
        pages.map(({ nulls }) => nulls),
      );
    });
  }

  offsetIndex({ pages }: Chunk): Uint8Array {
    const thrift = this.#thrift;
    const fields = ({ offset, length, firstRow }: WrittenPage) => {
      thrift.i64(1, offset);
      thrift.i32(2, length);
      thrift.i64(3, firstRow);
    };
    return thrift.alone(() => thrift.structures(1, pages, fields));
  }

  #root(count: number): void {
    this.#thrift.text(4, 'records');
    this.#thrift.i32(5, count);
  }

  #field({ name, type, meaning, isOptional }: Field): void {
    const thrift = this.#thrift;
    thrift.i32(1, types[type]);
    thrift.i32(3, isOptional ? repetition.optional : repetition.required);
    thrift.text(4, name);
    if (meaning === undefined) return;
    thrift.i32(6, converted[meaning]);
    thrift.structure(10, () => {
      if (meaning === 'text') thrift.structure(1, () => undefined);
      else thrift.structure(8, () => this.#utcMicroseconds());
    });
  }

  #utcMicroseconds(): void {
    this.#thrift.boolean(1, true);
    this.#thrift.structure(2, () => this.#thrift.structure(2, () => undefined));
  }

  #group(group: RowGroup, places: Places): void {
    const thrift = this.#thrift;
    thrift.structures(1, group, (chunk) => {
      thrift.i64(2, 0);
      thrift.structure(3, () => this.#chunk(chunk));
      this.#place(4, places.offsetIndex.get(chunk));
      this.#place(6, places.columnIndex.get(chunk));
    });
    thrift.i64(
      2,
      sumOf(group, ({ plainLength }) => plainLength),
    );
    thrift.i64(3, rowsOf(group));
    thrift.i64(5, group[0]?.offset ?? 0);
    thrift.i64(
      6,
      sumOf(group, ({ length }) => length),
    );
  }

  #place(id: number, place: Place | undefined): void {
    if (place === undefined) return;
    this.#thrift.i64(id, place.offset);
    this.#thrift.i32(id + 1, place.length);
  }

  #chunk(chunk: Chunk): void {
    const { field, pages, hasDictionary } = chunk;
    const thrift = this.#thrift;
    const byEncoding = Map.groupBy(pages, ({ encoding }) => encoding);
    const used = new Set([...byEncoding.keys(), encodings.hybrid, ...(hasDictionary ? [encodings.plain] : [])]);
    thrift.i32(1, types[field.type]);
    thrift.i32s(2, [...used]);
    thrift.binaries(3, [Buffer.from(field.name)]);
    thrift.i32(4, zstd);
    thrift.i64(5, chunk.rows);
    thrift.i64(6, chunk.plainLength);
    thrift.i64(7, chunk.length);
    thrift.i64(9, chunk.dataOffset);
    if (hasDictionary) thrift.i64(11, chunk.offset);
    thrift.structure(12, () => this.#statistics(chunk.nulls, chunk.bounds));
    const counts = byEncoding.entries().map(([encoding, { length }]) => [pageTypes.data, encoding, length] as const);
    const ofDictionary = hasDictionary ? [[pageTypes.dictionary, encodings.plain, 1] as const] : [];
    thrift.structures(13, [...ofDictionary, ...counts], ([type, encoding, count]) => {
      thrift.i32(1, type);
      thrift.i32(2, encoding);
      thrift.i32(3, count);
    });
  }

  #statistics(nulls: number, bounds: Bounds | undefined): void {
    const thrift = this.#thrift;
    thrift.i64(3, nulls);
    if (bounds === undefined) return;
    thrift.bytes(5, bounds.greatest);
    thrift.bytes(6, bounds.least);
    thrift.boolean(7, true);
    thrift.boolean(8, true);
  }
}

function rowsOf([first]: RowGroup): number {
  return first?.rows ?? 0;
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
