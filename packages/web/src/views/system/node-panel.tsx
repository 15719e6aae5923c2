// The nodes of the site: which leads, which waits, and what is wrong between them.
import { useSignal } from '@preact/signals';
import type { NodeRecords, NodeState, Timestamp } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { readOverview } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { switchNode } from '../../data/system.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';

export function NodePanel({ node }: { readonly node: NodeState }) {
  const { common, shell, system } = words.value;
  const { leader, problem, members } = node;
  const leads = leader === null ? '–' : `${leader.node}, ${momentText(fromTimestamp(leader.since))}`;
  const chosen = useSignal<string | undefined>(undefined);
  // The node that leads is asked: it ends what it is doing first.
  const mayLead = (name: string) => node.role === 'leading' && name !== node.node && may('operate-link');
  return (
    <section class="panel">
      <h2>{system.nodes}</h2>
      {problem !== null && (
        <p class="problem" role="alert" lang="en">
          {problem}
        </p>
      )}
      <FactList
        facts={[
          [shell.site, node.site],
          [shell.roles.leading, leads],
          [system.epoch, leader === null ? '' : String(leader.epoch)],
          ...(node.records ?? []).map((each): [string, string] => [system.recordsWith(each.node), recordsText(each)]),
        ]}
      />
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              <th scope="col">{shell.node}</th>
              <th scope="col">{common.state}</th>
              <th scope="col">{system.version}</th>
              <th scope="col">{system.address}</th>
              <th scope="col">{common.since}</th>
            </tr>
          </thead>
          <tbody>
            {node.nodes.map(({ name, version, address, since, 'not-ready': notReady }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  {shell.roles[name === node.node ? node.role : name === leader?.node ? 'leading' : 'standby']}
                  {notReady !== null && <span class="system-wrong">: {notReady}</span>}{' '}
                  {mayLead(name) && (
                    <button type="button" onClick={() => (chosen.value = name)}>
                      {system.switch}
                    </button>
                  )}
                </td>
                <td>{version}</td>
                <td class="mono">{address}</td>
                <td>{momentText(fromTimestamp(since))}</td>
              </tr>
            ))}
            {members.map(({ address, version, problem: fault }) => (
              <tr key={address}>
                <th scope="row">etcd</th>
                <td class={fault === null ? '' : 'system-wrong'} lang="en">
                  {fault ?? '✓'}
                </td>
                <td>{version}</td>
                <td class="mono">{address}</td>
                <td />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {chosen.value !== undefined && (
        <FormDialog
          title={system.switchTitle(chosen.value)}
          action={system.switchTitle(chosen.value)}
          run={() => switchNode(chosen.value)}
          onDone={() => void readOverview()}
          onClose={() => (chosen.value = undefined)}
        >
          <p>{system.switchWhat}</p>
        </FormDialog>
      )}
    </section>
  );
}

/** What one of the two nodes has recorded and the other one lacks. */
function recordsText(records: NodeRecords): string {
  const { system } = words.value;
  const { node, state, heard } = records;
  const from = (oldest: Timestamp | null) => (oldest === null ? '' : momentText(fromTimestamp(oldest)));
  const { 'waiting-here': here, 'waiting-there': there } = records;
  const parts = [
    ...(here > 0 ? [system.recordsHere(node, here, from(records['oldest-here']))] : []),
    ...(there > 0 ? [system.recordsThere(node, there, from(records['oldest-there']))] : []),
    ...(state === 'down' && heard !== null ? [system.recordsSince(node, momentText(fromTimestamp(heard)))] : []),
  ];
  return parts.length === 0 ? system.recordsBoth[state] : parts.join(' ');
}
