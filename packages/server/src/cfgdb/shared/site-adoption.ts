// A node that waits: what the one that leads has shared of the configuration is stored here, and runs without being connected.
import { ProblemError } from '@telltale/schema';
import type { Content } from '../content.ts';
import { Database } from '../database.ts';
import { renamesBetween } from '../go-back.ts';
import { onDisk, RolledBack } from '../on-disk.ts';
import { packRendering } from '../rendering.ts';
import { incomingPath, removeDatabase } from '../replace-database.ts';
import { sealedWith } from '../reseal.ts';
import type { Shared } from '../seen-configuration.ts';
import { takePlace } from '../take-place.ts';
import { type ChangeHead, readSite, type SiteSteps, type WholeHead } from './site-change.ts';
import type { SiteRevision } from './site-revision.ts';

export interface Adopted {
  /** Of the database, now. */
  readonly digest: string;
  /** Why what is rendered does not run here; undefined where it does. Missing where nothing was rendered. */
  readonly fault?: string | undefined;
}

/** Where it does not follow on what is here, or has come to something else here, nothing has changed: then there is another digest. */
export function adoptChange(shared: Shared, bytes: Uint8Array): Adopted {
  const { database } = shared;
  const change = readSite<ChangeHead>(bytes);
  const { before, after, rendering } = change.head;
  if (before !== database.digest) return { digest: database.digest };
  let fault: string | undefined;
  const work = () => {
    carryOut(database, change);
    if (rendering !== undefined) {
      refuseMoving(database);
      database.storeRendering(rendering);
    }
    if (after !== database.digest) throw new RolledBack();
    if (rendering !== undefined) fault = proposed(shared, database, database.content);
  };
  onDisk(() => database.change(work));
  return { digest: database.digest, ...(rendering && { fault }) };
}

/** `revisions` are those that are not here. */
export function adoptWhole(shared: Shared, bytes: Uint8Array, revisions: readonly SiteRevision[]): Adopted {
  const whole = readSite<WholeHead>(bytes);
  const incoming = incomingPath(shared.path);
  onDisk(() => {
    removeDatabase(incoming);
    try {
      writeWhole(incoming, shared, whole, revisions);
      takePlace(shared);
    } finally {
      removeDatabase(incoming);
    }
  });
  const { database } = shared;
  return { digest: database.digest, fault: proposed(shared, database, database.rendered) };
}

/** Which of these revisions are not here, as they are there: with secrets that are sealed so. */
export function lackingRevisions(database: Database, head: WholeHead): number[] {
  const isSealedSo = head.sealed === undefined || head.sealed === sealedWith(database);
  const common = isSealedSo ? commonRevisions(database, head) : new Set();
  return head.revisions.map(({ id }) => id).filter((id) => !common.has(id));
}

function commonRevisions(database: Database, { revisions }: WholeHead): Set<number> {
  const here = new Set(database.revisions.heads().map((head) => JSON.stringify(head)));
  return new Set(revisions.filter((each) => here.has(JSON.stringify(each))).map(({ id }) => id));
}

/** Why the content, which is rendered in the database, cannot run. */
export function proposed(shared: Shared, database: Database, content: Content): string | undefined {
  const { running } = shared;
  const fault = shared.propose(packRendering(running.content, content), database.renames.unconfirmed(running.id));
  shared.isProposed = fault === undefined;
  return fault;
}

/** As `Configuration` refuses it; this one is tried again. */
function refuseMoving({ renames, content }: Database): void {
  const [rename] = renames.moving(content);
  if (rename === undefined) return;
  throw new ProblemError('storage-failed', `Records of ${rename.from} are still being moved to ${rename.to}.`);
}

function writeWhole(
  path: string,
  { database: present }: Shared,
  { head, steps }: SiteSteps<WholeHead>,
  taken: readonly SiteRevision[],
): void {
  const fresh = new Database(path);
  try {
    fresh.change(() => {
      const lacking = new Set(lackingRevisions(present, head));
      const wanted = new Set(head.revisions.map(({ id }) => id).filter((id) => !lacking.has(id)));
      fresh.adoptRevisions(present, (id) => wanted.has(id));
      for (const { head: revision, packed, made } of taken) {
        fresh.revisions.take(revision, packed);
        fresh.made.takeRevision(revision.id, made);
      }
      noteMissedRenames(fresh, present, commonRevisions(present, head));
      if (head.sealed !== undefined) fresh.noteSealed(head.sealed);
      carryOut(fresh, { head, steps });
    });
  } finally {
    fresh.close();
  }
}

/** The history here follows, where what was rendered here was rendered there as well, some revisions ago. */
function noteMissedRenames(fresh: Database, present: Database, common: ReadonlySet<number>): void {
  const newest = fresh.revisions.newestId();
  if (newest === undefined || !common.has(present.renderedId)) return;
  fresh.renames.addRendered(renamesBetween(fresh, present.renderedId, newest), newest);
}

function carryOut(database: Database, { head, steps }: SiteSteps<ChangeHead | WholeHead>): void {
  for (const step of steps()) {
    if ('made' in step) database.made.take(step.made);
    else {
      const { object, edit } = step;
      const { family, name } = object;
      if (object.text !== undefined) database.putSealed(object, edit);
      else if (!database.delete(family, name, edit)) database.noteDeletion(family, name, edit);
    }
  }
  database.renames.setWaiting(head.waiting);
}
