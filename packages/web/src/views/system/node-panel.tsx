// The nodes of the site: which leads, which waits, and what is wrong between them.
import type { NodeState } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { FactList } from '../../parts/fact-list.tsx';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';

export function NodePanel({ node }: { readonly node: NodeState }) {
  const { common, shell, system } = words.value;
  const { leader, problem, members } = node;
  const leads = leader === null ? '–' : `${leader.node}, ${momentText(fromTimestamp(leader.since))}`;
  const role = `${node.node}: ${shell.roles[node.role]}, ${momentText(fromTimestamp(node.since))}`;
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
          [system.leads, leads],
          [system.thisNode, role],
          [system.epoch, leader === null ? '' : String(leader.epoch)],
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
            {node.nodes.map(({ name, version, address, since }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{shell.roles[name === leader?.node ? 'leading' : 'standby']}</td>
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
    </section>
  );
}
