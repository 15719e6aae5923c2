// The metrics of what this service has in common with others: a store, a lease, and the sites of a centre.
import { type CentreSite, fromTimestamp, type NodeRecords } from '@telltale/schema';
import type { Metric } from './api/index.ts';
import type { Centre } from './federation/index.ts';
import { counter, gauge } from './metric-kinds.ts';
import type { BusAdmission } from './service-admission.ts';
import type { SiteNode } from './standby/index.ts';
import type { SharedStore } from './store/index.ts';

export function storeMetrics(store: Pick<SharedStore, 'state'>): Metric[] {
  return [
    gauge('store_up', 'Whether the store takes what is archived.', () => Number(store.state.state === 'up')),
    counter(
      'store_sent_records_total',
      'Records that the store has taken in this epoch.',
      () => store.state['sent-records'],
    ),
    gauge(
      'store_waiting_records',
      'Records that the store does not have yet, about.',
      () => store.state['waiting-records'],
    ),
    gauge('store_oldest_waiting_timestamp_seconds', 'Time of the oldest of them; 0 where none waits.', () => {
      const { 'oldest-waiting': oldest } = store.state;
      return oldest === null ? 0 : fromTimestamp(oldest) / 1e6;
    }),
    counter('store_lost_records_total', 'Records that were deleted before the store had them.', () => {
      return store.state['lost-records'];
    }),
  ];
}

/** `records`: how far those of this node have come to the others. */
export function nodeMetrics(node: Pick<SiteNode, 'state'>, records: () => readonly NodeRecords[]): Metric[] {
  const ofNodes = (name: string, help: string, read: (each: NodeRecords) => number): Metric => ({
    ...{ name: `node_${name}`, help, type: 'gauge', labels: ['node'] },
    read: () => records().map((each) => ({ labels: { node: each.node }, value: read(each) })),
  });
  return [
    ofNodes('records_up', 'Whether the node takes what this one has recorded.', ({ state }) => Number(state === 'up')),
    ofNodes('records_waiting', 'Records of this node that it lacks, about.', (each) => each['waiting-here']),
    gauge('lease_leading', 'Whether this node leads its site.', () => Number(node.state.role === 'leading')),
    gauge('lease_valid_seconds', 'How long its lease is valid yet.', () => node.state['valid-for-ms'] / 1000),
    gauge(
      'lease_epoch',
      'Of who leads, as it was heard of last; 0: nobody is known to.',
      () => node.state.leader?.epoch ?? 0,
    ),
    gauge('lease_nodes', 'Nodes of the site that are there.', () => node.state.nodes.length),
    gauge('lease_members_up', 'Members of etcd that answer and have a majority.', () => {
      return node.state.members.filter(({ problem }) => problem === null).length;
    }),
  ];
}

/** Of more, those that come first by name have metrics of their own: each is a series of whoever gathers them. */
const mostSites = 2000;

/** `admission`: who may connect to its bus. */
export function centreMetrics(
  centre: Pick<Centre, 'sites' | 'archiver'>,
  admission: Pick<BusAdmission, 'counts'>,
): Metric[] {
  return [
    gauge('bus_members', 'Members of the bus that this centre lets in.', () => admission.counts?.members ?? 0),
    counter('bus_enrolments_total', 'Servers that came with a good code.', () => admission.counts?.enrolled ?? 0),
    counter('bus_enrolments_refused_total', 'Codes that did not count.', () => admission.counts?.refused ?? 0),
    gauge('centre_sites', 'Sites that the centre has heard of.', () => centre.sites.length),
    gauge('centre_sites_up', 'Sites that are there.', () => centre.sites.filter(({ state }) => state === 'up').length),
    counter('centre_parcels_total', 'Parcels of sites that went to the store.', () => centre.archiver?.parcels ?? 0),
    counter('centre_parcel_bytes_total', 'Their bytes.', () => centre.archiver?.parcelBytes ?? 0),
    counter(
      'centre_parcels_busy_total',
      'Parcels refused since too many were under way.',
      () => centre.archiver?.busy ?? 0,
    ),
    counter('centre_parcels_failed_total', 'Parcels that the store refused.', () => centre.archiver?.failed ?? 0),
    ofSites('up', 'Whether the site is there.', ({ state }) => Number(state === 'up')),
    ofSites('clock_ahead_seconds', 'How far its clock is ahead.', (site) => site['clock-ahead-seconds']),
    ofSites(
      'stored_records',
      'Records that a site has archived, as it said last.',
      (site) => site.uplink?.['stored-records'],
    ),
    ofSites(
      'waiting_records',
      'Records at a site that the store does not have yet, as it said last.',
      (site) => site.uplink?.['waiting-records'] ?? 0,
    ),
    ofSites(
      'lost_records',
      'Records deleted at a site before the store had them.',
      (site) => site.uplink?.['lost-records'],
    ),
    ofSites('lag_seconds', 'How far the store is behind the site.', (site) => site.uplink?.['lag-seconds']),
    ofSites('bad_points', 'Points of a site that are bad, as it said last.', (site) => site.points?.bad),
    ofSites('active_alarms', 'Alarms of a site that are active, as it said last.', (site) => site.alarms?.active),
  ];

  /** Of each site that says it. */
  function ofSites(name: string, help: string, figureOf: (site: CentreSite) => number | undefined): Metric {
    const read = () =>
      centre.sites.slice(0, mostSites).flatMap((site) => {
        const value = figureOf(site);
        return value === undefined ? [] : [{ labels: { site: site.id, name: site.name }, value }];
      });
    return { name: `telltale_centre_site_${name}`, help, type: 'gauge', labels: ['site', 'name'], read };
  }
}
