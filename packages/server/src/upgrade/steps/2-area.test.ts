import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { area } from './2-area.ts';

test('measurements, commands and alarms get an area that is not set, and stay what they were; twice is as once', () => {
  using sqlite = new DatabaseSync(':memory:');
  for (const table of ['measurements', 'commands', 'alarms', 'connectors']) {
    sqlite.exec(`CREATE TABLE ${table} (name TEXT NOT NULL, changedAt INTEGER NOT NULL, PRIMARY KEY (name)) STRICT, WITHOUT ROWID;
      INSERT INTO ${table} VALUES ('${table} 1', 7)`);
  }
  for (let time = 0; time < 2; time++) {
    area.configuration?.(sqlite);
    for (const table of ['measurements', 'commands', 'alarms']) {
      const rows = sqlite.prepare(`SELECT * FROM ${table}`).all();
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [{ name: `${table} 1`, changedAt: 7, area: null }],
      );
    }
    assert.deepEqual({ ...sqlite.prepare('SELECT * FROM connectors').get() }, { name: 'connectors 1', changedAt: 7 });
  }
});
