// The bus to other servers.
import type { BusState } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { FactList } from '../../parts/fact-list.tsx';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';

export function BusPanel({ bus: { address, state, since, error } }: { readonly bus: BusState }) {
  const { common, system } = words.value;
  return (
    <section class="panel">
      <h2>{system.bus}</h2>
      {error !== null && (
        <p class="problem" role="alert" lang="en">
          {error}
        </p>
      )}
      <FactList
        facts={[
          [common.state, `${system.storeStates[state]}, ${momentText(fromTimestamp(since))}`],
          [system.address, address],
        ]}
      />
    </section>
  );
}
