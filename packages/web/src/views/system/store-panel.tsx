// The shared store: whether it takes what is archived here, and what waits for it.
import type { StoreState } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { FactList } from '../../parts/fact-list.tsx';
import { countText } from '../../parts/figure-text.ts';
import { Since } from '../../parts/since.tsx';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';

export function StorePanel({ store }: { readonly store: StoreState }) {
  const { common, sites, system } = words.value;
  const { address, site, state, since, error, epoch } = store;
  const newest = store['last-sent'];
  const oldest = store['oldest-waiting'];
  return (
    <section class="panel">
      <h2>{system.store}</h2>
      {error !== null && (
        <p class="problem" role="alert" lang="en">
          {error}
        </p>
      )}
      <FactList
        facts={[
          [common.state, `${system.storeStates[state]}, ${momentText(fromTimestamp(since))}`],
          [system.address, address],
          [system.storeSite, `${site.name} (${site.id})`],
          [system.epoch, epoch === null ? '' : String(epoch)],
          [system.storeSent, newest === null ? '–' : momentText(fromTimestamp(newest))],
          [system.storeWaiting, countText(store['waiting-records'])],
          [sites.lag, oldest === null ? '–' : <Since us={fromTimestamp(oldest)} />],
          [sites.lost, countText(store['lost-records'])],
        ]}
      />
    </section>
  );
}
