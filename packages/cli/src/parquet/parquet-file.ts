// A Parquet file as it is written: a row group whenever there are enough records, then what they are.
import type { ArchiveColumns, ArchiveKind } from '@telltale/schema';
import { ByteSink } from '@telltale/schema/byte-sink';
import { type Chunk, ChunkWriter } from './chunk-writer.ts';
import { footerBytes } from './footer.ts';
import { type Table, tableOf } from './tables.ts';
import { ThriftWriter } from './thrift-writer.ts';

const magic = Buffer.from('PAR1');

/**
 * The bytes of a file with these records; each piece is valid until the next one. `about` is asked for behind the last record:
 * it goes into the file, for whoever reads it.
 */
export async function* parquetBytes(
  kind: ArchiveKind,
  records: AsyncIterable<ArchiveColumns>,
  about: () => Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array, void> {
  const table = tableOf(kind);
  const groups: (readonly Chunk[])[] = [];
  const out = new ByteSink(1 << 20);
  const thrift = new ThriftWriter();
  let offset = magic.length;
  const rowGroup = () => {
    offset += out.length;
    out.reset();
    groups.push(writeGroup(table, out, offset, thrift));
    table.clear();
    return out.written();
  };
  yield magic;
  for await (const some of records) {
    let from = 0;
    while (from < some.times.length) {
      from += table.add(some, from);
      if (table.isFull) yield rowGroup();
    }
  }
  if (table.rows > 0) yield rowGroup();
  const fields = table.columns.map(({ field }) => field);
  yield* footerBytes(fields, groups, about(), offset + out.length);
}

function writeGroup(table: Table, out: ByteSink, offset: number, thrift: ThriftWriter): readonly Chunk[] {
  return table.columns.map((column) => column.write(new ChunkWriter(out, offset, thrift)));
}
