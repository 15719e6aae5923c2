import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mayWrite, type PropertyFault, readModuleProperties, readWriteList } from './module-properties.ts';

function known(properties: Record<string, string> | undefined) {
  const read = readModuleProperties(properties);
  assert.ok(!('faults' in read), JSON.stringify(read));
  return read;
}

function faultsOf(properties: Record<string, string>): readonly PropertyFault[] {
  const read = readModuleProperties(properties);
  assert.ok('faults' in read, JSON.stringify(properties));
  return read.faults;
}

const sum = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('without properties nothing is bounded, and nothing may be written or read', () => {
  for (const properties of [undefined, {}, { colour: 'red', toString: 'text' }]) {
    const { writes, reads, ...bounds } = known(properties);
    const none = { sha256: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined };
    assert.deepEqual(bounds, none);
    for (const list of [writes, reads]) assert.equal(mayWrite(list, 'level'), false);
  }
});

test('bounds are read as they are written', () => {
  const all = { sha256: sum.toUpperCase(), memoryLimit: '256M', cpuLimit: '0.5', maxProcesses: '20' };
  const { writes: _, reads: __, ...bounds } = known(all);
  assert.deepEqual(bounds, { sha256: sum, memoryBytes: 268_435_456, cpuCores: 0.5, maxProcesses: 20 });
  const sizes: [string, number][] = [
    ['1048576', 2 ** 20],
    ['1024K', 2 ** 20],
    ['1G', 2 ** 30],
    ['2T', 2 ** 41],
  ];
  for (const [memoryLimit, bytes] of sizes) assert.equal(known({ memoryLimit }).memoryBytes, bytes);
  assert.equal(known({ cpuLimit: '16' }).cpuCores, 16);
});

test('every property that is wrong is reported, with what would be right', () => {
  const wrong: Record<string, string[]> = {
    sha256: ['', sum.slice(1), `${sum}0`, `${sum.slice(1)}g`, ` ${sum}`, `sha256:${sum}`],
    memoryLimit: ['', '512', '0', '-1M', '1.5G', '256MB', '256m', '1 G', '99999999T', 'M', '1e9', '٣M', '256M\n'],
    cpuLimit: ['', '0', '0.001', '-1', '50%', '1,5', '.5', '2000', '1e1', 'Infinity'],
    maxProcesses: ['', '0', '-1', '1.5', '4194305', '10k'],
  };
  const right: Record<string, RegExp> = {
    sha256: /^must be 64 hexadecimal digits/,
    memoryLimit: /^must be bytes, of at least 1M: .* such as 256M$/,
    cpuLimit: /^must be cores, from 0.01 to 1024, such as 0.5$/,
    maxProcesses: /^must be a whole number from 1 to 4194304$/,
  };
  for (const [property, texts] of Object.entries(wrong)) {
    for (const text of texts) {
      const [fault, ...others] = faultsOf({ [property]: text });
      assert.equal(fault?.property, property);
      assert.match(fault?.message ?? '', right[property] as RegExp, text);
      assert.deepEqual(others, []);
    }
  }
  assert.deepEqual(
    faultsOf({ writes: 'a b?', sha256: '', memoryLimit: '', cpuLimit: '', maxProcesses: '' }).map(
      (each) => each.property,
    ),
    ['writes', 'sha256', 'memoryLimit', 'cpuLimit', 'maxProcesses'],
  );
});

describe('what a module may write', () => {
  test('is a list of names, and of beginnings of names', () => {
    const lists: [string, string[], string[]][] = [
      ['', [], ['level', '', '*']],
      [' ,\n\t, ', [], ['level', '']],
      ['level', ['level'], ['Level', 'level1', 'leve']],
      ['a,b c\n\td', ['a', 'b', 'c', 'd'], ['e', 'ab', '']],
      ['pump_*', ['pump_', 'pump_1'], ['pump', 'xpump_1']],
      ['x, *', ['x', 'level', '__proto__'], []],
      ['__proto__', ['__proto__'], ['constructor']],
    ];
    for (const [list, may, mayNot] of lists) {
      const { writes } = known({ writes: list });
      for (const name of may) assert.equal(mayWrite(writes, name), true, `${list}: ${name}`);
      for (const name of mayNot) assert.equal(mayWrite(writes, name), false, `${list}: ${name}`);
    }
  });

  test('is refused where something in it can be no name', () => {
    const hint = ': write names, or beginnings of names with an asterisk, such as level, pump_*';
    assert.deepEqual(faultsOf({ writes: 'ok, a*b' }), [{ property: 'writes', message: `"a*b" is no name${hint}` }]);
    assert.deepEqual(faultsOf({ writes: 'a. b. ok c. d. e.' }), [
      { property: 'writes', message: `"a.", "b.", "c." and 2 more are no names${hint}` },
    ]);
    for (const writes of ['**', 'level;flow', 'x'.repeat(65), '/measurements/level', '.*', 'ä']) {
      assert.equal(faultsOf({ writes }).length, 1, writes);
    }
    assert.ok((faultsOf({ writes: '?'.repeat(100_000) })[0]?.message.length ?? 0) < 200);
  });

  test('is what the list says, whatever the names', () => {
    const name = fc.stringMatching(/^[_a-c0-1]{1,4}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.boolean())), name, (items, asked) => {
        const list = readWriteList(items.map(([item, isPrefix]) => `${item}${isPrefix ? '*' : ''}`).join(','));
        const expected = items.some(([item, isPrefix]) => (isPrefix ? asked.startsWith(item) : asked === item));
        assert.equal(mayWrite(list, asked), expected);
      }),
    );
  });
});
