// Files of frames: the journal, the catalogue and the tombstones. Each frame has a checksum, and a mark on which a reader
// finds its way again behind damage.
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Damage, NewerVersion } from './damage.ts';
import { FileWindow } from './file-window.ts';

export const fileHeaderBytes = 16;
export const frameHeaderBytes = 16;
/** No frame is longer; a length beyond is damage. */
export const maxFrameBytes = 32 * 2 ** 20;

const frameMagic = 0x52_46_54_54; // 'TTFR'
const windowBytes = 2 ** 20;

export interface FileFormat {
  readonly magic: number;
  readonly version: number;
}

/** Drawn for each file, so that nothing that a device sends, and no block of an old file, looks like its frames. */
export function drawSalt(): number {
  return randomBytes(4).readUInt32LE();
}

export function fileHeader({ magic, version }: FileFormat, salt: number): Uint8Array {
  const bytes = new Uint8Array(fileHeaderBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint16(4, version, true);
  view.setUint32(8, salt, true);
  view.setUint32(12, crc32(bytes.subarray(0, 12)), true);
  return bytes;
}

/** Completes a frame whose payload follows the space for its header. */
export function sealFrame(bytes: Uint8Array, at: number, payloadBytes: number, salt: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, frameHeaderBytes);
  view.setUint32(0, frameMagic, true);
  view.setUint32(4, salt, true);
  view.setUint32(8, payloadBytes, true);
  view.setUint32(12, checksum(bytes, at, payloadBytes), true);
}

export function frameOf(payload: Uint8Array, salt: number): Uint8Array {
  const bytes = new Uint8Array(frameHeaderBytes + payload.length);
  bytes.set(payload, frameHeaderBytes);
  sealFrame(bytes, 0, payload.length, salt);
  return bytes;
}

export function framedFile(format: FileFormat, salt: number, payloads: Iterable<Uint8Array>): Uint8Array {
  const pieces = [fileHeader(format, salt)];
  for (const payload of payloads) pieces.push(frameOf(payload, salt));
  return Buffer.concat(pieces);
}

/** Of the header of any file of frames; undefined: it is damaged. */
export function saltIn(header: Buffer): number | undefined {
  return header.readUInt32LE(12) === crc32(header.subarray(0, 12)) ? header.readUInt32LE(8) : undefined;
}

export interface FramesRead {
  /** Up to here the file is what was written; a torn write may follow. */
  readonly bytes: number;
  /** What follows: the rest of a write that did not end, or damage at the end of the file. */
  readonly tornBytes: number;
  readonly damages: readonly Damage[];
  /** Of the file; undefined where there is nothing to go on with. */
  readonly salt: number | undefined;
}

/**
 * Calls `onFrame` with each payload (valid during the call) and where its frame begins; it answers with what is wrong
 * with the payload. Frames behind `end` are not looked at. Throws `NewerVersion` and the system's errors.
 */
export function readFrames(
  path: string,
  format: FileFormat,
  onFrame: (payload: Buffer, offset: number) => string | undefined,
  end = Number.POSITIVE_INFINITY,
): FramesRead {
  const file = openSync(path, 'r');
  try {
    return scan(new FileWindow(file, Math.min(fstatSync(file).size, end), windowBytes), path, format, onFrame);
  } finally {
    closeSync(file);
  }
}

function scan(
  window: FileWindow,
  path: string,
  format: FileFormat,
  onFrame: (payload: Buffer, offset: number) => string | undefined,
): FramesRead {
  const damages: Damage[] = [];
  const report = (reason: string) => damages.push({ file: basename(path), reason });
  const header = window.part(0, fileHeaderBytes);
  if (header === undefined) return { bytes: 0, tornBytes: window.size, damages, salt: undefined };
  let salt: number | undefined;
  if (header.readUInt32LE(0) === format.magic && saltIn(header) !== undefined) {
    const version = header.readUInt16LE(4);
    if (version > format.version) throw new NewerVersion(path, version, format.version);
    salt = header.readUInt32LE(8);
  } else {
    report('the header of the file is damaged');
    salt = commonSalt(window);
    if (salt === undefined) return { bytes: 0, tornBytes: window.size, damages, salt: undefined };
  }
  let at = fileHeaderBytes;
  for (;;) {
    const frame = frameAt(window, at, salt);
    if (frame !== undefined) {
      const wrong = onFrame(frame.subarray(frameHeaderBytes), at);
      if (wrong !== undefined) report(`${wrong} (at byte ${at})`);
      at += frame.length;
      continue;
    }
    const next = nextFrame(window, at + 1, salt);
    if (next === undefined) return { bytes: at, tornBytes: window.size - at, damages, salt };
    report(`bytes ${at} to ${next - 1} are damaged`);
    at = next;
  }
}

/** The whole frame that begins there; undefined: none that is whole and right. */
function frameAt(window: FileWindow, at: number, salt: number | undefined): Buffer | undefined {
  const header = window.part(at, frameHeaderBytes);
  if (header === undefined || header.readUInt32LE(0) !== frameMagic) return undefined;
  if (salt !== undefined && header.readUInt32LE(4) !== salt) return undefined;
  const length = header.readUInt32LE(8);
  if (length > maxFrameBytes) return undefined;
  const frame = window.part(at, frameHeaderBytes + length);
  return frame !== undefined && frame.readUInt32LE(12) === checksum(frame, 0, length) ? frame : undefined;
}

function nextFrame(window: FileWindow, from: number, salt: number): number | undefined {
  const mark = Buffer.alloc(8);
  mark.writeUInt32LE(frameMagic, 0);
  mark.writeUInt32LE(salt, 4);
  for (let at = window.find(mark, from); at !== undefined; at = window.find(mark, at + 1)) {
    if (frameAt(window, at, salt) !== undefined) return at;
  }
  return undefined;
}

/** The salt of most bytes in good frames, for a file without a header; bounded, since such a file can be anything. */
function commonSalt(window: FileWindow): number | undefined {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(frameMagic, 0);
  const bytesOf = new Map<number, number>();
  let budget = 4 * window.size + maxFrameBytes;
  for (let at = window.find(mark, 0); at !== undefined && budget > 0; ) {
    const claimed = window.part(at, frameHeaderBytes)?.readUInt32LE(8) ?? 0;
    if (claimed <= maxFrameBytes) budget -= claimed;
    const frame = frameAt(window, at, undefined);
    if (frame !== undefined) {
      const salt = frame.readUInt32LE(4);
      bytesOf.set(salt, (bytesOf.get(salt) ?? 0) + frame.length);
    }
    at = window.find(mark, at + (frame?.length ?? 1));
  }
  let common: number | undefined;
  for (const [salt, bytes] of bytesOf) {
    if (common === undefined || bytes > (bytesOf.get(common) ?? 0)) common = salt;
  }
  return common;
}

function checksum(bytes: Uint8Array, at: number, payloadBytes: number): number {
  const start = at + frameHeaderBytes;
  return crc32(bytes.subarray(start, start + payloadBytes), crc32(bytes.subarray(at, at + 12)));
}
