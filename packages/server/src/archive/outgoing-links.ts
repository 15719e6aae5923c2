// To whoever sends the archive: a link for each destination. It is told once after each piece that there is more.
import type { MessagePort } from 'node:worker_threads';
import { Link, Moved, messagePort } from '../threads/index.ts';
import { buffersOfPiece } from './outgoing/outgoing-piece.ts';
import type { OutgoingAccess, OutgoingClient } from './protocol.ts';
import type { ArchiveStore } from './store/archive-store.ts';

interface Served {
  readonly link: Link<OutgoingClient>;
  isMoreWanted: boolean;
}

export class OutgoingLinks {
  readonly #archive: ArchiveStore;
  readonly #links = new Map<string, Served>();

  constructor(archive: ArchiveStore) {
    this.#archive = archive;
  }

  /** Whoever sends there asks by this; the one before has died, or there was none. */
  serve(port: MessagePort, destination: string): void {
    const archive = this.#archive;
    const outgoing = archive.outgoing(destination);
    const link = new Link<OutgoingClient, OutgoingAccess>(messagePort(port), {
      open: (site) => {
        outgoing.sendAs(site);
        return { epoch: outgoing.epoch, nextEpoch: outgoing.nextEpoch, series: outgoing.series() };
      },
      resume: (position) => outgoing.resume(position),
      counts: () => outgoing.counts(),
      begin: (epoch, isKnown, reached) => archive.beginOutgoing(epoch, isKnown, reached, destination),
      beginNext: (epoch, reached) => outgoing.beginNext(epoch, reached),
      next: (position, most) => {
        served.isMoreWanted = true;
        const piece = outgoing.next(position, most);
        return new Moved(piece, buffersOfPiece(piece));
      },
      sent: (position, renamed) => outgoing.sent(position, renamed),
      damage: (damage) => archive.noteDamage(damage),
    });
    const served: Served = { link, isMoreWanted: false };
    port.once('close', () => link.end(new Error('the thread that sends has ended')));
    this.#links.get(destination)?.link.end(new Error('the thread that sends was replaced'));
    this.#links.set(destination, served);
  }

  /** Something was committed. */
  tellMore(): void {
    for (const served of this.#links.values()) {
      if (!served.isMoreWanted) continue;
      served.isMoreWanted = false;
      served.link.notify('more', []);
    }
  }

  /** Another epoch has begun, which they may wait for. */
  tellAll(): void {
    for (const { link } of this.#links.values()) link.notify('more', []);
  }
}
