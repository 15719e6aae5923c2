import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { deviceAlarms } from './7-device-alarms.ts';

test('alarms get a connector and an address that are not set, and stay what they were; twice is as once', () => {
  using sqlite = new DatabaseSync(':memory:');
  sqlite.exec(`CREATE TABLE alarms (name TEXT NOT NULL, changedAt INTEGER NOT NULL, PRIMARY KEY (name)) STRICT, WITHOUT ROWID;
    INSERT INTO alarms VALUES ('high', 7)`);
  for (let time = 0; time < 2; time++) {
    deviceAlarms.configuration?.(sqlite);
    const rows = sqlite.prepare('SELECT * FROM alarms').all();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ name: 'high', changedAt: 7, connectorName: null, address: null }],
    );
  }
});
