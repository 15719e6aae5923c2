// The configuration of a site at one of its nodes: what another one has acknowledged is taken over, and what this one acknowledges is
// handed on. Runs in the configuration's own thread.
import { onDisk } from '../on-disk.ts';
import type { Rename } from '../renamed-references.ts';
import { sealAnew } from '../reseal.ts';
import { SeenConfiguration } from '../seen-configuration.ts';
import { openAnew } from '../take-place.ts';
import { laterNames, type NamedPoint } from './later-names.ts';
import { type Adopted, adoptChange, adoptWhole, lackingRevisions, proposed } from './site-adoption.ts';
import type { SiteHead } from './site-bytes.ts';
import { readSite, type WholeHead } from './site-change.ts';
import { type LinkNeeds, siteNeeds } from './site-needs.ts';
import { readRevision } from './site-revision.ts';
import type { SiteSharing } from './site-sharing.ts';

export class SiteConfiguration extends SeenConfiguration {
  /** After a change: whether the proposed rendering is stored, and runs from now on. */
  takeRendered(): boolean {
    const { renderedId: id, rendered: content } = this.shared.database;
    const isNew = this.shared.isProposed && content !== this.shared.running.content;
    if (isNew) this.shared.running = { id, content };
    this.shared.isProposed = false;
    return isNew;
  }

  /** As another node of the site has changed it. */
  adoptChange(bytes: Uint8Array): Adopted {
    return this.#adopt(() => adoptChange(this.shared, bytes));
  }

  /** One of those that are not here, for `adoptWhole`. */
  takeRevision(bytes: Uint8Array): void {
    this.shared.revisionsTaken.push(readRevision(bytes));
  }

  /** All that another node of the site has; revisions that were not taken are here. */
  adoptWhole(bytes: Uint8Array): Adopted {
    return this.#adopt(() => adoptWhole(this.shared, bytes, this.shared.revisionsTaken.splice(0)));
  }

  /** Which revisions of all that another node has are not here. */
  lackingRevisions(bytes: Uint8Array): number[] {
    return lackingRevisions(this.shared.database, readSite<WholeHead>(bytes).head);
  }

  /** What is rendered and does not run here: answers why it cannot. */
  proposeAgain(): Adopted {
    const { digest, renderedId, rendered } = this.shared.database;
    const isRunning = renderedId === this.shared.running.id;
    return { digest, fault: isRunning ? undefined : proposed(this.shared, this.shared.database, rendered) };
  }

  /** Of what is rendered. */
  needs(): LinkNeeds[] {
    return siteNeeds(this.shared.database.rendered, this.shared.stacks, this.shared.secrets);
  }

  laterNames(asked: readonly NamedPoint[]): Rename[] {
    return laterNames(this.shared.database, asked);
  }

  /** The same at each node that has what was acknowledged. */
  digest(): string {
    return this.shared.database.digest;
  }

  /** This node leads the site from now on. In steps. */
  *beginningToShare(head: SiteHead | undefined): Generator<void> {
    if (head === undefined) this.reseal();
    yield* (this.shared.sharing as SiteSharing).begin(this.shared.database, head);
  }

  /** While this node leads: what is not sealed with its key is, as one change, at all nodes. */
  reseal(): void {
    const { shared } = this;
    const { database, secrets, sharing } = shared;
    let isSealed = false;
    const onSealed = () => {
      sharing?.shareSealed(database);
      isSealed = true;
    };
    onDisk(() => {
      try {
        sealAnew(database, secrets, { onSealed });
      } finally {
        if (isSealed) openAnew(shared, () => true);
        this.hasChanged();
      }
    });
    this.settleSharing();
  }

  /** Where it is not known what the other nodes have: they have what is here. */
  settleSharing(): void {
    this.shared.sharing?.settle(this.shared.database);
  }

  protected hasChanged(): void {
    this.shared.collections.clear();
    this.shared.version++;
  }

  #adopt(work: () => Adopted): Adopted {
    const { sharing } = this.shared;
    try {
      return sharing === undefined ? work() : sharing.whileAdopting(work);
    } finally {
      this.hasChanged();
    }
  }
}
