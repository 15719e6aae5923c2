// Readers of Parquet files that others have made, which tests hold our writer against: DuckDB, and hyparquet for the index of pages.
import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import {
  type ColumnMetaData,
  type FileMetaData,
  type ParquetQueryFilter,
  parquetMetadata,
  parquetReadObjects,
  readColumnIndex,
  readOffsetIndex,
  type SchemaElement,
} from 'hyparquet';

const loaded = await import('@duckdb/node-api').catch((error: Error) => error);

/** False where DuckDB can be had; else why not. */
export const withoutDuckDb: false | string =
  loaded instanceof Error ? `DuckDB does not load: ${loaded.message.split('\n')[0]}` : false;

/** A database in memory, with one thread; ends with `scope`. Queries give rows, a list of values each. */
export async function openDuckDb(scope: AsyncDisposableStack): Promise<(sql: string) => Promise<unknown[][]>> {
  if (loaded instanceof Error) throw loaded;
  const instance = await loaded.DuckDBInstance.create(':memory:', { threads: '1' });
  scope.defer(() => instance.closeSync());
  const connection = await instance.connect();
  scope.defer(() => connection.closeSync());
  return async (sql) => (await connection.runAndReadAll(sql)).getRows();
}

export async function queryDuckDb(sql: string): Promise<unknown[][]> {
  await using cleanup = new AsyncDisposableStack();
  const query = await openDuckDb(cleanup);
  return await query(sql);
}

/** A file as hyparquet reads it. */
export class OpenedParquet {
  readonly #bytes: Buffer;
  readonly metadata: FileMetaData;

  constructor(path: string) {
    this.#bytes = readFileSync(path);
    this.metadata = parquetMetadata(this.#slice(0));
  }

  /** The rows that it finds by the bounds of row groups and pages. */
  find(filter: ParquetQueryFilter): Promise<Record<string, unknown>[]> {
    return parquetReadObjects({
      file: { byteLength: this.#bytes.length, slice: (start, end) => this.#slice(start, end) },
      metadata: this.metadata,
      filter,
      usePageIndex: true,
      compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    });
  }

  /** Of the first row group. */
  chunk(column: string): ColumnMetaData {
    const chunks = this.metadata.row_groups[0]?.columns.flatMap(({ meta_data: data }) => data ?? []) ?? [];
    return chunks.find(({ path_in_schema: [name] }) => name === column) as ColumnMetaData;
  }

  /** What the index says of the pages of a column: the first row of each in its row group, and its bounds. */
  pages(column: string): { row: number; least: unknown; greatest: unknown }[] {
    const schema = this.metadata.schema.find(({ name }) => name === column) as SchemaElement;
    return this.metadata.row_groups.flatMap(({ columns }) => {
      const chunk = columns.find(({ meta_data: data }) => data?.path_in_schema[0] === column);
      if (chunk?.offset_index_offset === undefined || chunk.column_index_offset === undefined) return [];
      const reader = (offset: bigint) => ({ view: new DataView(this.#slice(Number(offset))), offset: 0 });
      const { page_locations: pages } = readOffsetIndex(reader(chunk.offset_index_offset));
      const { min_values: least, max_values: greatest } = readColumnIndex(reader(chunk.column_index_offset), schema);
      return pages.map(({ first_row_index: row }, page) => ({
        row: Number(row),
        least: least[page],
        greatest: greatest[page],
      }));
    });
  }

  #slice(start: number, end?: number): ArrayBuffer {
    return new Uint8Array(this.#bytes.subarray(start, end)).buffer;
  }
}
