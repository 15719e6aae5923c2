// What takes the parcels of other nodes: loaded where there are any.
import { BadParcel } from '../parcel/decode-parcel.ts';
import type { TakenParcel } from '../protocol.ts';
import { NotTheEpoch, type ReceivedStore } from './received-store.ts';

export { ReceivedStore } from './received-store.ts';

/** As `ReceivedStore.take`, with what is refused in words. Throws the system's errors. */
export function takeParcel(store: ReceivedStore, parcel: Uint8Array): TakenParcel {
  try {
    return { newest: store.take(parcel) };
  } catch (error) {
    if (error instanceof NotTheEpoch) return { trouble: 'epoch', reason: error.message };
    if (error instanceof BadParcel) return { trouble: 'refused', reason: error.message };
    throw error;
  }
}
