// The numbers of the Parquet format that are in use here, and how many rows go together.

/** Queries that name a point or a time pass over row groups without them; smaller ones cost bytes. */
export const rowGroupRows = 131_072;
/** Of each column; the least that a reader with the index of pages reads. */
export const pageRows = 16_384;

export const types = { boolean: 0, int32: 1, int64: 2, double: 5, bytes: 6 } as const;
/** Those that DuckDB, Spark, ClickHouse and Trino all read; Spark does not read BYTE_STREAM_SPLIT everywhere. */
export const encodings = { plain: 0, hybrid: 3, deltas: 5, dictionary: 8 } as const;
export type Encoding = (typeof encodings)[keyof typeof encodings];
export const pageTypes = { data: 0, dictionary: 2 } as const;
export const zstd = 6;

export interface Field {
  readonly name: string;
  readonly type: keyof typeof types;
  /** What is more than its type: a text in UTF-8, or microseconds since 1970. */
  readonly meaning?: 'text' | 'time';
  /** Rows may have none. */
  readonly isOptional: boolean;
}

/** The least and the greatest value, as bytes. */
export interface Bounds {
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}
