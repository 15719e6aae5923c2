import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LinkState, type LiveAlarm, leastFreeBytes, type Simulation } from '@telltale/schema';
import type { LinkStatus, ModuleStatus, StatusFacts } from './status-facts.ts';
import { findingsOf } from './status-findings.ts';

const since: [number, number] = [1_700_000_000, 0];

const well: StatusFacts = {
  url: 'http://plant/',
  version: '1.0.0',
  notReady: null,
  warnings: [],
  degraded: [],
  isOpen: false,
  upToDate: true,
  pendingEdits: 0,
  objects: {},
  node: null,
  links: [],
  modules: [],
  activeAlarms: [],
  unacknowledgedAlarms: 0,
  simulated: [],
  disk: { sizeBytes: 1e12, freeBytes: 1e11, archiveBytes: 1e6, archiveMaxBytes: null },
  archiveDamaged: [],
};

const link = (state: LinkState, error: string | null, more: Partial<LinkStatus> = {}): LinkStatus => ({
  role: 'connector',
  name: 'plc',
  state,
  since,
  error,
  disabled: null,
  devicesDown: [],
  ...more,
});

/** The levels and kinds, and the texts without their times. */
function found(facts: Partial<StatusFacts>): string[] {
  const time = /\d{4}-\d\d-\d\d [\d:]+\.\d+/g;
  return findingsOf({ ...well, ...facts }).map(
    ({ level, kind, name, text }) =>
      `${level} ${kind}${name === null ? '' : ` ${name}`}: ${text.replaceAll(time, 'T')}`,
  );
}

describe('the findings of a status', () => {
  test('are none where all is well, nor where the service does not say', () => {
    assert.deepEqual(found({}), []);
    const unknown = { links: null, modules: null, activeAlarms: null, unacknowledgedAlarms: null, simulated: null };
    assert.deepEqual(
      found({
        ...unknown,
        warnings: null,
        degraded: null,
        upToDate: null,
        pendingEdits: null,
        disk: null,
        archiveDamaged: null,
      }),
      [],
    );
  });

  test('have a service that is not ready, damaged files and a disk without room, which are wrong', () => {
    const disk = { sizeBytes: 1e12, freeBytes: leastFreeBytes - 1, archiveBytes: 0, archiveMaxBytes: null };
    assert.deepEqual(found({ notReady: 'The disk refuses.', archiveDamaged: ['a.ttb', 'b.ttb'], disk }), [
      'wrong service: The disk refuses.',
      'wrong disk: Only 268 MB are free on the disk of the data folder: make room, or set --archive-max-size.',
      'wrong archive: 2 files are damaged or missing: telltale archive stats',
    ]);
    assert.deepEqual(found({ disk: { ...disk, freeBytes: leastFreeBytes } }), []);
    const warnings = ['connector press: the certificate 3fa9 expires in 20 days: replace it'];
    const degraded = ['Nothing goes to the store: nothing listens there. 7 records wait here, and follow.'];
    assert.deepEqual(found({ warnings, degraded }), [`wrong service: ${degraded[0]}`, `note service: ${warnings[0]}`]);
    assert.deepEqual(found({ archiveDamaged: ['a.ttb'] }), [
      'wrong archive: 1 file is damaged or missing: telltale archive stats',
    ]);
  });

  test('name links that are down or failed with their reason, whichever moment of a try it is', () => {
    const links = [
      link('up', 'an old error'),
      link('failed', 'no licence', { role: 'provider', name: 'panel' }),
      link('down', 'nobody is there.'),
      link('connecting', 'nobody is there'),
      link('connecting', null, { name: 'fresh' }),
      link('disabled', 'an old error', { name: 'off', disabled: { by: 'anna', t: since, reason: 'pump 3 is open' } }),
      link('disabled', null, { name: 'idle', disabled: { by: 'anna', t: since, reason: null } }),
      link('up', null, { name: 'bus', devicesDown: [{ name: 'unit 3', since, error: 'timeout' }] }),
    ];
    assert.deepEqual(found({ links }), [
      'wrong provider panel: Provider panel is failed since T: no licence.',
      'wrong connector plc: Connector plc is down since T: nobody is there.',
      'wrong connector plc: Connector plc is down since T: nobody is there.',
      'wrong connector bus: Device unit 3 of connector bus is down since T: timeout.',
      'note connector fresh: Connector fresh is connecting since T.',
      'note connector off: Connector off is disabled since T by anna: pump 3 is open.',
      'note connector idle: Connector idle is disabled since T by anna.',
    ]);
  });

  test('name function modules that have failed, and note those that somebody has stopped', () => {
    const module = (name: string, more: Partial<ModuleStatus>): ModuleStatus => {
      return { name, state: 'RUN', enabled: true, since, error: null, ...more };
    };
    const modules = [
      module('a', {}),
      module('b', { state: 'STOP' }),
      module('c', { state: 'FAIL', error: 'exit code 3' }),
      module('d', { state: 'STOP', enabled: false }),
      module('e', { state: 'INIT', error: 'exit code 3' }),
    ];
    assert.deepEqual(found({ modules }), [
      'wrong module c: Function module c has failed, since T: exit code 3.',
      'note module b: Function module b is stopped since T.',
    ]);
  });

  test('note edits, simulations with who and when, and alarms that wait', () => {
    const simulated = ['a', 'b', 'c', 'd', 'e'].map(
      (name): Simulation => ({ name, value: 'd1.5', quality: 192, since, until: null, by: 'anna', reason: null }),
    );
    const alarm = { state: 'ACT_UNACK' } as LiveAlarm;
    assert.deepEqual(
      found({ upToDate: false, pendingEdits: 2, simulated, activeAlarms: [alarm], unacknowledgedAlarms: 3 }),
      [
        'note configuration: 2 objects are edited and not rendered: telltale config diff',
        'note simulations: 5 measurements are simulated: a = 1.5 since T by anna; b = 1.5 since T by anna; c = 1.5 since T by anna; and 2 more: telltale simulate',
        'note alarms: 3 alarms are not acknowledged, 1 of them active: telltale alarms',
      ],
    );
  });
});
