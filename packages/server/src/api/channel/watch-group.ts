// Clients that watch the same measurements, and what is gathered for them in the running tick.
import type { View } from '../../operations/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { Growing } from './growing.ts';

export class WatchGroup {
  readonly members = new Set<number>();
  /** Empty while it is starting and when it has ended: then nothing is reported for it. */
  readonly clients = new Set<ChannelClient>();
  /** Positions in the log, of the running tick. */
  readonly pending = new Growing();
  /** Of those who watch all that they may view: they are told of each that comes into view. */
  readonly view: View | undefined;
  /** How many clients are about to be of it. */
  starting = 0;
  /** Its key among the shared ones; undefined while it belongs to one client, whose list may change. */
  key: string | undefined;
  /** The list of this group alone: one for all measurements that no other group watches. */
  readonly alone: readonly WatchGroup[] = [this];
  cancelSharing: () => void = () => undefined;

  constructor(view?: View) {
    this.view = view;
  }

  /** Equal for equal sets, in whatever order they were built; different sets are distinguished by comparing both. */
  keyOfMembers(): string {
    let [sum, mixed] = [0, 0];
    for (const handle of this.members) {
      sum = (sum + handle) % 0x1_0000_0000;
      mixed = (mixed + Math.imul(handle ^ 0x9e37_79b9, 0x85eb_ca6b)) | 0;
    }
    return `${this.members.size} ${sum} ${mixed}`;
  }
}
