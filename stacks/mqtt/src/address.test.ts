import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseAddress } from './address.ts';
import { filterFault, filterOf, matchesTopic, topicFault } from './topic.ts';

describe('an address', () => {
  const cases: [string, string, unknown][] = [
    ['a/b', 'a/b', { kind: 'plain' }],
    ['a/b#', 'a/b', { kind: 'json', path: [] }],
    ['a/b#/', 'a/b', { kind: 'json', path: [''] }],
    ['a/b#/x/0/y~1z~0', 'a/b', { kind: 'json', path: ['x', '0', 'y/z~'] }],
    ['a/b#/x#y', 'a/b', { kind: 'json', path: ['x#y'] }],
    ["a/b#$.x[3]['y.z'].w", 'a/b', { kind: 'json', path: ['x', '3', 'y.z', 'w'] }],
    ['a/b#$', 'a/b', { kind: 'json', path: [] }],
    ['a/#', 'a/#', { kind: 'plain' }],
    ['a/##/x', 'a/#', { kind: 'json', path: ['x'] }],
    ['#', '#', { kind: 'plain' }],
    ['##/x', '#', { kind: 'json', path: ['x'] }],
    ['+/b#int16', '+/b', { kind: 'binary', type: 'int16', isLittleEndian: false, offset: 0 }],
    ['a#float64le@12', 'a', { kind: 'binary', type: 'float64', isLittleEndian: true, offset: 12 }],
  ];
  for (const [text, topic, selector] of cases) {
    test(`${text} is read`, () => assert.deepEqual(parseAddress(text), { address: { topic, selector } }));
  }

  const wrong: [string, RegExp][] = [
    ['a/#/x', /# must be the last level/],
    ['a+/b', /\+ must be a level by itself/],
    ['a#value', /JSON pointer such as \/value/],
    ['a#$.', /cannot read the JSON path/],
    ['a#$x', /cannot read the JSON path/],
    ['a#int24', /binary number/],
    ['a\nb', /control characters/],
    ['\ud800', /control characters/],
    ['a/'.repeat(150), /at most 100 levels/],
    ['$share/g', /\$share\/group\/topic/],
    ['$share//x', /\$share\/group\/topic/],
    ['$share/g+/x', /\$share\/group\/topic/],
    ['$share/g/', /\$share\/group\/topic/],
  ];
  for (const [text, fault] of wrong) {
    test(`${JSON.stringify(text.slice(0, 20))} is refused with a reason`, () => {
      assert.match(parseAddress(text).fault ?? '', fault);
    });
  }

  test('of any text at all is read or refused', () => {
    const piece = fc.constantFrom('a', '/', '#', '+', '$', '[', ']', "'", '.', '0', '~', '$share/', 'int16', '@', '\0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { address, fault } = parseAddress(pieces.join(''));
        assert.ok(address === undefined ? fault !== '' : filterFault(address.topic) === undefined);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a topic', () => {
  const matches = (filter: string, topic: string) => matchesTopic(filter.split('/'), topic.split('/'));

  test('is matched by a filter as the standard says', () => {
    for (const [filter, topic] of [
      ['a/b', 'a/b'],
      ['a/+', 'a/b'],
      ['a/+', 'a/'],
      ['+/+', '/b'],
      ['a/#', 'a'],
      ['a/#', 'a/b/c'],
      ['#', 'a/b'],
      ['$SYS/#', '$SYS/x'],
    ] as const) {
      assert.ok(matches(filter, topic), `${filter} ${topic}`);
    }
    for (const [filter, topic] of [
      ['a/b', 'a'],
      ['a/+', 'a'],
      ['a/+', 'a/b/c'],
      ['+', '/b'],
      ['#', '$SYS/x'],
      ['+/x', '$SYS/x'],
      ['a/b/#', 'a'],
    ] as const) {
      assert.ok(!matches(filter, topic), `${filter} ${topic}`);
    }
  });

  test('to publish to has no wildcards', () => {
    assert.match(topicFault('a/+') ?? '', /wildcards/);
    assert.equal(topicFault('a/b c/ü'), undefined);
    assert.equal(filterOf('$share/g/a/+'), 'a/+');
  });
});
