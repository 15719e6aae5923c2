// Which connectors and providers the list shows, and in which order: what is not as it should be comes first.
import { fromTimestamp } from '@telltale/schema/values';
import type { LinkRow } from '../../data/links.ts';
import type { SortKeys } from '../../parts/sorted-by.ts';

export interface LinkFilter {
  readonly text: string;
  readonly role: string;
  /** `not-up`: any but up. */
  readonly state: string;
}

export function filteredLinks(links: readonly LinkRow[], { text, role, state }: LinkFilter): LinkRow[] {
  const searched = text.toLowerCase();
  return links.filter((link) => {
    if (role !== '' && link.role !== role) return false;
    if (state === 'not-up' ? link.state === 'up' && link.devicesDown === 0 : state !== '' && link.state !== state) {
      return false;
    }
    return [link.name, link.stack, link['last-error']?.text ?? ''].some((each) =>
      each.toLowerCase().includes(searched),
    );
  });
}

const urgency = { failed: 0, down: 1, connecting: 3, up: 4, disabled: 5 } as const;

export const linkKeys: SortKeys<LinkRow> = {
  state: ({ state, devicesDown }) => (state === 'up' && devicesDown > 0 ? 2 : urgency[state]),
  name: ({ name }) => name,
  role: ({ role }) => role,
  stack: ({ stack }) => stack,
  since: ({ since }) => -fromTimestamp(since),
  rate: (link) => link['values-per-second'],
  good: ({ points }) => points.good,
  uncertain: ({ points }) => points.uncertain,
  bad: ({ points }) => points.bad,
};
