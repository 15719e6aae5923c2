import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

test('a name that may have been meant is the nearest, or none where none is near', () => {
  const names = ['tank1_level', 'tank2_level', 'pump1_start'];
  assert.equal(nearestName('tank1_levle', names), 'tank1_level');
  assert.equal(nearestName('TANK2_LEVEL', names), 'tank2_level');
  assert.equal(nearestName('pmp1_start', names), 'pump1_start');
  assert.equal(nearestName('valve', names), undefined);
  assert.equal(nearestName('', names), undefined);
  assert.equal(nearestName('PUMP', names), 'pump1_start', 'the only one that begins so');
  assert.equal(nearestName('tank', names), undefined, 'two begin so');
});
