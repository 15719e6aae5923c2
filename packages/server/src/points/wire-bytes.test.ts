// The bytes of live points, pinned: names, order and form of every field. A test that fails here says that clients will
// read something else.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandFields, measurementFields } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { gathered } from '../../test/gathered.ts';
import { PlainDisk } from '../../test/plain-disk.ts';
import { PointsBench } from '../../test/points-bench.ts';
import { Commands } from './commands.ts';

const whole = {
  address: 'bus("ä")',
  description: 'of "tank 1",\n°C',
  datatype: 'd',
  rawDatatype: 'i',
  connectorName: 'c',
  rawRangeLo: '+0',
  rawRangeHi: '027648',
  euRangeLo: '-0.50',
  euRangeHi: '80',
  eu: '°C',
  area: 'works.dosing.line2',
  archMode: 'change',
  properties: { tag: 'T-1' },
} as const;

const wholeText =
  ',"address":"bus(\\"ä\\")","datatype":"d","raw-datatype":"i","eu-range":["d-0.5","d80"],"raw-range":["i0","i27648"],' +
  '"description":"of \\"tank 1\\",\\n°C","eu":"°C","area":"works.dosing.line2"}';
const bareText = ',"address":"","datatype":"s","raw-datatype":"s","eu-range":[null,null],"raw-range":[null,null]}';

function measurements() {
  const bench = new PointsBench();
  bench.measurements.putLink('connector', 'c', undefined);
  bench.put({ name: 'whole', ...whole, euRangeLo: '0' });
  bench.put({ name: 'bare', datatype: 's' });
  bench.put({ name: 'whole', ...whole });
  bench.read('c', { point: 'whole', value: 13824, timeUs: 1_700_000_000_000_250 });
  const { wire } = bench.measurements;
  const handles = ['whole', 'bare'].map((name) => bench.measurements.find(name));
  const some = (fields?: readonly string[]) => gathered(wire.selection(handles, fields)).toString();
  return { wire, handles, some };
}

describe('the bytes of a measurement', () => {
  const wholeHead = '{"name":"whole","vtq":["d39.75",[1700000000,250],192]';
  const bareHead = '{"name":"bare","vtq":["s",[0,0],8]';

  test('WI-1: are these, alone, in a list, in a selection and in a collection', () => {
    const { wire, handles, some } = measurements();
    const [wholeHandle = -1, bareHandle = -1] = handles;
    assert.equal(wire.object(wholeHandle).toString(), wholeHead + wholeText);
    assert.equal(wire.object(bareHandle).toString(), bareHead + bareText);
    assert.equal(gathered(wire.array(handles)).toString(), `[${wholeHead}${wholeText},${bareHead}${bareText}]`);
    assert.equal(some(), `{"whole":${wholeHead}${wholeText},"bare":${bareHead}${bareText}}`);
    const collection = `{"whole":${wholeHead.padEnd(72)}${wholeText},"bare":${bareHead.padEnd(77)}${bareText}}`;
    assert.equal(wire.collection().bytes.toString(), collection);
  });

  test('WI-2: have the chosen fields in the order of the whole object, whatever order they are asked for in', () => {
    const { some } = measurements();
    assert.deepEqual(measurementFields, [
      'name',
      'vtq',
      'address',
      'datatype',
      'raw-datatype',
      'eu-range',
      'raw-range',
      'description',
      'eu',
      'area',
      'connector',
      'precision',
    ]);
    const all = some(measurementFields.toReversed());
    const asked = `${wholeText.slice(0, -1)},"connector":"c","precision":2}`;
    const bare = `${bareText.slice(0, -1)},"description":"","eu":"","area":"","connector":"","precision":null}`;
    assert.equal(all, `{"whole":${wholeHead}${asked},"bare":${bareHead}${bare}}`);
    assert.equal(
      some(['description', 'eu-range', 'datatype']),
      '{"whole":{"datatype":"d","eu-range":["d-0.5","d80"],"description":"of \\"tank 1\\",\\n°C"},' +
        '"bare":{"datatype":"s","eu-range":[null,null],"description":""}}',
    );
    assert.equal(some(['name']), '{"whole":{"name":"whole"},"bare":{"name":"bare"}}');
    assert.equal(some(['nothing']), '{"whole":{},"bare":{}}');
  });

  test('WI-1: in a notification are its name and its value', () => {
    const { wire, handles } = measurements();
    const items = handles.map((handle) => {
      const item = Buffer.alloc(wire.itemLength(handle));
      wire.writeItem(handle, item, 0);
      return item.toString();
    });
    assert.deepEqual(items, [`${wholeHead}},`, `${bareHead}},`]);
  });
});

test('WI-1: the bytes of a command are these', () => {
  const clock = new ManualClock(1_700_000_000_000_250);
  const commands = new Commands({ clock, store: new PlainDisk(), writeToDevice: async () => {} });
  commands.put({ name: 'whole', ...whole, initialValue: '7' });
  commands.put({ name: 'bare', datatype: 's' });
  const [wholeHandle, bareHandle] = [commands.find('whole'), commands.find('bare')];
  const wholeHead = '{"name":"whole","vt":["d7",[1700000000,250]]';
  assert.equal(commands.wire.object(wholeHandle).toString(), wholeHead + wholeText);
  assert.equal(commands.wire.object(bareHandle).toString(), `{"name":"bare","vt":["s",[0,0]]${bareText}`);
  const some = gathered(commands.wire.selection([wholeHandle], ['raw-range', 'vt'])).toString();
  assert.equal(some, '{"whole":{"vt":["d7",[1700000000,250]],"raw-range":["i0","i27648"]}}');
  assert.deepEqual(commandFields, [
    'name',
    'vt',
    'address',
    'datatype',
    'raw-datatype',
    'eu-range',
    'raw-range',
    'description',
    'eu',
    'area',
    'connector',
    'precision',
  ]);
});
