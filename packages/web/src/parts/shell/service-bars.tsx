// What people have to know of the service whatever view they are in: that this node does not act for its site, and what other
// machines do not do for it.
import type { NodeState } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { base } from '../../base.ts';
import { overview } from '../../data/overview.ts';
import { here } from '../../router.ts';
import { words } from '../../words/words.ts';
import { now } from '../now.ts';
import { shortMomentText } from '../times.ts';

export function ServiceBars() {
  const { shell } = words.value;
  const { node, degraded = [] } = overview.value ?? {};
  const [first] = degraded;
  return (
    <>
      {node && node.role !== 'leading' && <NodeBar node={node} />}
      {first !== undefined && (
        <section class="service-bar degraded" aria-label={shell.degraded}>
          <strong>⚠ {shell.degraded}</strong>
          <span>
            {shortMomentText(fromTimestamp(first.since), now.value)} <span lang="en">{first.text}</span>
          </span>
          <a href="/system">
            {shell.views.system} {degraded.length > 1 && `(+${degraded.length - 1})`}
          </a>
        </section>
      )}
    </>
  );
}

function NodeBar({ node: { node, role, leader, nodes, site } }: { readonly node: NodeState }) {
  const { shell } = words.value;
  const leading = leader?.node === node ? undefined : leader?.node;
  const address = nodes.find(({ name }) => name === leading)?.address ?? '';
  return (
    <section class="service-bar" aria-label={shell.node}>
      <strong>{shell.roles[role]}</strong>
      <span>{leading === undefined ? shell.nobodyLeads(node, site) : shell.otherLeads(node, leading, site)}</span>
      {/* A centre is where people are; whether they reach the nodes of a site, nobody knows. */}
      {base === '' && /^https?:\/\//.test(address) && (
        <a href={new URL(here(), address).href}>{shell.toLeader(leading ?? '')}</a>
      )}
    </section>
  );
}
