// A store on PostgreSQL as a site has it that loses it now and then.
import type { ParcelStore } from '../src/store/parcel-store.ts';
import type { TroubledStore } from './sent-world.ts';

export function troubled(store: ParcelStore): TroubledStore {
  const troubles: number[] = [];
  return {
    troubles,
    newest: (site, epoch) => store.newest(site, epoch),
    claim: (site, given) => store.claim(site, given),
    send: async (site, epoch, seq, parcel) => {
      const trouble = troubles.shift() ?? 0;
      if (trouble === 1) throw new Error('the store is away');
      const received = await store.send(site, epoch, seq, parcel);
      if (trouble === 2) throw new Error('the answer is lost');
      return received;
    },
  };
}
