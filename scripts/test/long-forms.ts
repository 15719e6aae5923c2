// Tests that can take as long as they are given: which files, and the variable that says how much they do.

export interface LongForm {
  readonly variable: string;
  /** For some hours of all of them, unless the environment says another. */
  readonly value: string;
  readonly files: readonly string[];
}

export const longForms: readonly LongForm[] = [
  {
    variable: 'CRASH_RUNS',
    value: '1000',
    files: [
      'test/crash.test.ts',
      'test/crash-{archive,live,modules-anytime}.test.ts',
      'packages/server/src/sqlite/durable-database.test.ts',
      'packages/server/src/store/postgres/seal/sealer-crash.test.ts',
    ],
  },
  { variable: 'DAMAGE_POSITIONS', value: '2000', files: ['packages/server/src/*/damage.test.ts'] },
  { variable: 'MODEL_RUNS', value: '5000', files: ['packages/*/src/**/*-model.test.ts'] },
  { variable: 'RENDERING_RUNS', value: '2000', files: [] }, // among those of MODEL_RUNS
  { variable: 'CONFORMANCE_RECONNECTS', value: '1000', files: ['stacks/*/test/conformance*.test.ts'] },
  { variable: 'TRAFFIC_RUNS', value: '5000', files: ['test/traffic.test.ts'] },
  { variable: 'UPLINK_ROUNDS', value: '200', files: ['packages/server/src/bus/uplink/uplink-faults.test.ts'] },
  { variable: 'SHARED_ROUNDS', value: '300', files: ['packages/server/src/lease/shared/shared-faults.test.ts'] },
  { variable: 'FENCING_ROUNDS', value: '1000', files: ['packages/server/src/lease/fencing.test.ts'] },
  { variable: 'FAILOVER_ROUNDS', value: '100', files: ['test/failover.test.ts'] },
  { variable: 'STANDBY_KILLS', value: '200', files: ['test/standby-kills.test.ts'] },
  { variable: 'SWITCH_ROUNDS', value: '200', files: ['test/switchover.test.ts'] },
  { variable: 'PATRONI_ROUNDS', value: '10', files: ['packages/server/src/store/postgres/patroni-failover.test.ts'] },
  { variable: 'STANDBY_STORE_ROUNDS', value: '100', files: ['test/standby-store.test.ts'] },
  { variable: 'FUZZ_REQUESTS', value: '500000', files: ['test/fuzz.test.ts'] },
  { variable: 'FUZZ_MESSAGES', value: '500000', files: ['test/fuzz-channel.test.ts'] },
  { variable: 'FUZZ_ARCHIVE_RUNS', value: '400', files: ['test/fuzz-archive.test.ts'] },
];
