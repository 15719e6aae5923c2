// The metrics of every part of the service, but for what it has in common with others.
import type { LiveFunctionModule } from '@telltale/schema';
import type { Access } from './access/index.ts';
import type { ChannelServer, Metric, Sample } from './api/index.ts';
import type { Archive, Archiving } from './archive/index.ts';
import type { AuditTrail } from './audit/index.ts';
import type { Certificates } from './certificates/index.ts';
import type { ConfigurationDatabase } from './cfgdb/index.ts';
import { counter, gauge, labelled } from './metric-kinds.ts';
import type { FunctionModules } from './modules/index.ts';
import type { Gate, Imports, LiveData } from './operations/index.ts';
import type { InstanceStatus, StackHost } from './stacks/index.ts';
import type { LiveState } from './state/index.ts';

export interface MetricSources {
  readonly cfgdb: ConfigurationDatabase;
  readonly data: LiveData;
  readonly state: LiveState;
  readonly access: Pick<Access, 'isOpen' | 'accounts' | 'approvals'>;
  readonly audit: Pick<AuditTrail, 'pending' | 'failure' | 'lost'>;
  /** Acknowledged data that is missing. */
  readonly missing: () => readonly string[];
  readonly certificates: Pick<Certificates, 'known'>;
  readonly archive: Archive;
  readonly archiving: Archiving;
  readonly imports: Pick<Imports, 'counts'>;
  readonly host: StackHost;
  readonly modules: FunctionModules;
  readonly channel: ChannelServer;
  readonly gate: Pick<Gate, 'outcomes'>;
}

export function serviceMetrics(sources: MetricSources): Metric[] {
  const { cfgdb, data, state, access, audit, host, channel } = sources;
  const { measurements, commands, alarms } = data;
  return [
    gauge('configuration_waiting', "Operations that wait for the configuration's thread.", () => cfgdb.pending),
    labelled('gauge', 'configuration_objects', 'Objects in the configuration database.', 'family', () => ({
      ...cfgdb.figures?.objects,
    })),
    gauge('configuration_up_to_date', 'Whether what runs equals the database.', () =>
      Number(cfgdb.figures?.upToDate ?? false),
    ),
    gauge('data_missing', 'Findings that something acknowledged is missing.', () => sources.missing().length),
    labelled('gauge', 'points', 'Live objects.', 'family', () => ({
      measurements: measurements.size,
      commands: commands.size,
      alarms: alarms.size,
    })),
    labelled('counter', 'readings_total', 'Readings of devices, by what became of them.', 'outcome', () => {
      const { changed, duplicates, withinDeadband, hidden, foreign } = measurements.counts;
      return { changed, duplicate: duplicates, deadband: withinDeadband, simulated: hidden, foreign };
    }),
    counter('readings_unfit_total', 'Readings that did not fit their datatype.', () => measurements.counts.unfit),
    gauge('simulations', 'Measurements that are forced.', () => measurements.simulated),
    labelled('gauge', 'alarms', 'Alarms, by state.', 'state', () => ({ ...alarms.counts().byState })),
    counter('alarm_transitions_total', 'Transitions of alarms.', () => alarms.counts().transitions),
    counter(
      'alarm_keep_failures_total',
      'Alarm states that could not be written to disk at once.',
      () => alarms.counts().storeFailures,
    ),
    gauge('commands_unkept', 'Commands whose present value is not on disk.', () => commands.unsaved),
    gauge(
      'simulations_unkept',
      'Measurements whose simulation, or its end, is not on disk.',
      () => measurements.unsaved,
    ),
    gauge('alarms_unkept', 'Alarms whose present state is not on disk.', () => alarms.counts().unsaved),
    gauge('state_waiting', 'Changes of the live state that wait for the disk.', () => state.pending),
    gauge('state_failing', 'Whether the disk refused the newest of them.', () => Number(state.failure !== undefined)),
    gauge('approvals_pending', 'Requests that wait for a second person.', () => access.approvals.pending),
    gauge('access_open', 'Whether there are no users, so that every program of the machine may do everything.', () =>
      Number(access.isOpen),
    ),
    gauge('access_recovering', 'Whether the user recovery can manage users.', () =>
      Number(access.accounts.recoveryUntil !== undefined),
    ),
    gauge('audit_waiting', 'Records of the audit trail that wait for the disk.', () => audit.pending),
    gauge('audit_failing', 'Whether the disk refused the newest of them.', () => Number(audit.failure !== undefined)),
    gauge('audit_discarded', 'Those that were discarded, and the trail does not say so yet.', () => audit.lost),
    gauge('channel_clients', 'Clients of the channel.', () => channel.size),
    gauge('channel_watches', 'What they watch: names, and "all" and each selector as one.', () => channel.watches),
    gauge('channel_waiting_bytes', 'Bytes that wait for clients of the channel.', () => channel.pendingBytes),
    counter('channel_updates_total', 'Measurement updates handed to clients.', () => channel.delivered),
    counter('channel_skipped_total', 'Updates passed over for clients that did not keep up.', () => channel.skipped),
    labelled('counter', 'channel_requests_total', 'Requests over the channel.', 'result', () => channel.requests),
    {
      name: 'telltale_operations_total',
      help: 'Operations carried out, over HTTP and the channel, by name and outcome: answered, or the name of the problem.',
      type: 'counter',
      labels: ['operation', 'outcome'],
      read: () =>
        sources.gate
          .outcomes()
          .map(({ operation, outcome, count }) => ({ labels: { operation, outcome }, value: count })),
    },
    ...archiveMetrics(sources),
    ...stackMetrics(host),
    ...certificateMetrics(sources.certificates),
    ...moduleMetrics(sources.modules),
  ];
}

/** Every offered value is in one of the outcomes: none is lost without being counted. */
function archiveMetrics({ archive, archiving, imports }: MetricSources): Metric[] {
  const { records } = archive;
  return [
    counter(
      'archive_offered_total',
      'Changes, periods, leaders and imported records that the archive was offered.',
      () => archiving.counts.offered + records.imported,
    ),
    labelled('counter', 'archive_records_total', 'What became of them, but for those that wait.', 'outcome', () => {
      const { valueDeadband, timeDeadband, noValue, repeated, notArchived, notPast } = archiving.counts.suppressed;
      return {
        stored: records.stored,
        suppressed_value_deadband: valueDeadband,
        suppressed_time_deadband: timeDeadband,
        suppressed_no_value: noValue,
        suppressed_repeated: repeated,
        suppressed_not_archived: notArchived,
        suppressed_not_past: notPast,
        dropped_no_room: records.dropped,
        dropped_invalid: records.invalid,
      };
    }),
    gauge('archive_waiting', 'Records on their way to the disk.', () => records.pending),
    gauge('archive_waiting_bytes', 'The memory that these take.', () => records.pendingBytes),
    gauge('archive_readings', 'Readings of the archive under way.', () => archive.queries.underWay),
    gauge('archive_readings_waiting', 'Readings of the archive that wait for others.', () => archive.queries.queued),
    counter('archive_readings_refused_total', 'Readings of the archive that were too many to wait.', () => {
      return archive.queries.refused;
    }),
    gauge('archive_imports', 'Imports under way.', () => imports.counts.running),
    gauge('archive_imports_waiting', 'Imports that wait for others.', () => imports.counts.queued),
    counter('archive_imports_refused_total', 'Imports that were too many to wait.', () => imports.counts.refused),
    gauge('archive_failing', 'Whether the disk refused the newest of them.', () =>
      Number(archive.failure !== undefined),
    ),
    counter('archive_astray_total', 'Records of a wrong clock: before 2000, or over a day ahead.', () => {
      return archiving.counts.astray;
    }),
    counter('archive_mistimed_total', 'Records whose time was none; they got that of the service.', () => {
      return archiving.counts.mistimed;
    }),
    counter('clock_jumps_total', 'How often the time of day was set.', () => archiving.stats().jumpCount),
  ];
}

function certificateMetrics(certificates: Pick<Certificates, 'known'>): Metric[] {
  return [
    {
      name: 'telltale_certificate_days_left',
      help: 'Days until a certificate expires; less than zero: it has expired.',
      type: 'gauge',
      labels: ['role', 'name', 'use', 'thumbprint'],
      read: () =>
        certificates.known
          .filter(({ state }) => state !== 'rejected')
          .map(({ role, name, use, thumbprint, 'days-left': value }) => ({
            labels: { role, name, use, thumbprint },
            value,
          })),
    },
    gauge('certificates_rejected', 'Certificates of peers that were refused, and wait for a person.', () => {
      return certificates.known.filter(({ state }) => state === 'rejected').length;
    }),
  ];
}

function moduleMetrics(modules: FunctionModules): Metric[] {
  const each = (
    type: Metric['type'],
    name: string,
    help: string,
    read: (live: LiveFunctionModule) => number | null,
  ): Metric => ({
    name: `telltale_function_module_${name}`,
    help,
    type,
    labels: ['name'],
    read: () =>
      Array.from(modules.names(), (name): Sample[] => {
        const value = read(modules.live(name));
        return value === null ? [] : [{ labels: { name }, value }];
      }).flat(),
  });
  return [
    {
      name: 'telltale_function_module_state',
      help: 'The state, as 1 beside its name.',
      type: 'gauge',
      labels: ['name', 'state'],
      read: () =>
        Array.from(modules.names(), (name) => ({ labels: { name, state: modules.live(name).state }, value: 1 })),
    },
    each('gauge', 'restarts', 'How often it was started again by itself.', ({ restarts }) => restarts),
    each('gauge', 'cores', 'Cores that its processes took in the last seconds.', ({ cpu }) => cpu),
    each('gauge', 'memory_bytes', 'Memory of all its processes.', ({ memory }) => memory),
  ];
}

function stackMetrics(host: StackHost): Metric[] {
  const each = (
    type: Metric['type'],
    name: string,
    help: string,
    read: (status: InstanceStatus) => Readonly<Record<string, number>> | number,
    label?: string,
  ): Metric => ({
    name: `telltale_stack_${name}`,
    help,
    type,
    labels: ['role', 'name', ...(label === undefined ? [] : [label])],
    read: () =>
      host.status().flatMap((status): Sample[] => {
        const labels = { role: status.role, name: status.name };
        const found = read(status);
        if (typeof found === 'number' || label === undefined) return [{ labels, value: Number(found) }];
        return Object.entries(found).map(([word, value]) => ({ labels: { ...labels, [label]: word }, value }));
      }),
  });
  return [
    each('gauge', 'up', 'Whether the link is up.', ({ state: is }) => Number(is === 'up')),
    each('gauge', 'state', 'The state, as 1 beside its name.', ({ state: is }) => ({ [is]: 1 }), 'state'),
    each('gauge', 'since_seconds', 'Since when it is in this state.', ({ sinceUs }) => sinceUs / 1_000_000),
    each(
      'counter',
      'values_total',
      'Values that came from the device, or went to a provider.',
      (s) => s.counters.values,
    ),
    each('counter', 'errors_total', 'What went wrong.', ({ counters }) => counters.errors),
    each('counter', 'connects_total', 'How often the link came up.', ({ counters }) => counters.connects),
    each('counter', 'conflated_total', 'Values passed over for newer ones.', ({ counters }) => counters.conflated),
    each('counter', 'dropped_total', 'Values published without a link.', ({ counters }) => counters.dropped),
    each(
      'counter',
      'requests_total',
      'Requests to devices, or of clients of a provider.',
      ({ counters }) => counters.requests,
    ),
    each(
      'counter',
      'held_total',
      'How often a client of a provider had to wait, since it, or all together, asked more often than allowed.',
      ({ counters }) => counters.held,
    ),
    each(
      'counter',
      'unread_total',
      'Messages of devices or clients that were lost, since more came than could be stored.',
      ({ counters }) => counters.unread,
    ),
    each(
      'counter',
      'requests_failed_total',
      'Requests without an answer that can be used.',
      ({ counters }) => counters.requestsFailed,
    ),
    each('counter', 'overruns_total', 'Scans left out, since the one before had not ended.', ({ counters }) => {
      return counters.overruns;
    }),
    each('counter', 'forwarded_total', 'Values of outages that a provider has sent afterwards.', ({ detail }) => {
      return detail.forwarding?.sent ?? 0;
    }),
    each('counter', 'forwarding_given_up_total', 'Values of outages that were too old to be sent.', ({ detail }) => {
      return detail.forwarding?.givenUp ?? 0;
    }),
    gauge('stack_threads', 'Threads of connectors and providers that run.', () => host.threads().running),
    counter('stack_threads_replaced_total', 'Threads that ended, or did not answer, and were replaced.', () => {
      return host.threads().replaced;
    }),
    each(
      'counter',
      'writes_total',
      'Commands written, by outcome.',
      ({ counters }) => ({
        accepted: counters.writesAccepted,
        refused: counters.writesRefused,
        timeout: counters.writesTimedOut,
        not_connected: counters.writesNotConnected,
      }),
      'outcome',
    ),
  ];
}
