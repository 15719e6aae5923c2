// A revision, as the nodes of a site hand it on: a line with what is known of it, a line with its changes, what typicals had made then,
// and its content. Not compressed: what revisions have in common is in the same parts of etcd.
import { parseJson } from '@telltale/schema';
import { pack } from '../content.ts';
import type { Database } from '../database.ts';
import type { RenderingBytes } from '../rendering.ts';
import type { PackedRevision, RevisionHead } from '../revisions.ts';

export interface SiteRevision {
  readonly head: RevisionHead;
  /** As `MadeObjects` has it. */
  readonly made: string;
  readonly packed: PackedRevision;
}

type Line = RevisionHead & { readonly madeBytes: number };

/** Undefined where it is damaged. */
export function revisionBytes(database: Database, id: number): RenderingBytes | undefined {
  const whole = database.revisions.whole(id);
  if (whole === undefined) return undefined;
  const made = Buffer.from(database.made.revisionText(id));
  const line: Line = { ...whole.head, madeBytes: made.length };
  const parts = [Buffer.from(`${JSON.stringify(line)}\n`), whole.changes, Buffer.from('\n'), made, whole.content];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function readRevision(bytes: Uint8Array): SiteRevision {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = buffer.indexOf('\n');
  const second = buffer.indexOf('\n', first + 1);
  const { madeBytes, ...head } = parseJson(buffer.toString('utf8', 0, first)) as Line;
  const content = second + 1 + madeBytes;
  const packed = {
    changes: pack([buffer.toString('utf8', first + 1, second)]),
    content: pack([buffer.toString('utf8', content)]),
  };
  return { head, made: buffer.toString('utf8', second + 1, content), packed };
}
