// What the writer and the reader of journals agree on. FORMAT.md has the bytes.
import type { FileFormat } from './frames.ts';

/** In version 1 no record is marked as simulated; the rest is the same. */
export const journalFormat: FileFormat = { magic: 0x4a_54_54_54, version: 2 }; // 'TTTJ'

/** The first word of a frame's payload. */
export const frameKind = { head: 1, series: 2, batch: 3 } as const;

/** Records of one frame: what damage to a frame costs is bounded. */
export const maxFrameRecords = 16_384;

/** Six words in front of the columns. */
export const batchHeadBytes = 24;
