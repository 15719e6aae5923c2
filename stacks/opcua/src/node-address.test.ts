import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatNamespaceUri, formatPath, isFieldName, parseAddress } from './node-address.ts';

describe('an address', () => {
  const whole = { index: [], path: [], isMethod: false };

  test('names a namespace by number or URI, and a node by number, text, GUID or bytes', () => {
    assert.deepEqual(parseAddress('ns=2;s=Tank1.Level'), {
      namespace: 2,
      kind: 's',
      identifier: 'Tank1.Level',
      ...whole,
    });
    assert.deepEqual(parseAddress('i=2258'), { namespace: 0, kind: 'i', identifier: '2258', ...whole });
    assert.deepEqual(parseAddress('nsu=http://a/b;i=7'), {
      namespace: 'http://a/b',
      kind: 'i',
      identifier: '7',
      ...whole,
    });
    assert.deepEqual(parseAddress('ns=1;b=AQI='), { namespace: 1, kind: 'b', identifier: 'AQI=', ...whole });
    const guid = '09087e75-8e5e-499b-954f-f2a9603db28a';
    assert.deepEqual(parseAddress(`ns=1;g=${guid}`), {
      namespace: 1,
      kind: 'g',
      identifier: guid.toUpperCase(),
      ...whole,
    });
  });

  test('names an element behind a semicolon; other brackets are of the text', () => {
    const element = parseAddress('ns=3;s="Data"."Level"[3];[4,0]');
    assert.deepEqual(element, { namespace: 3, kind: 's', identifier: '"Data"."Level"[3]', ...whole, index: [4, 0] });
    const text = parseAddress('ns=3;s="Data"."Level"[3]');
    assert.deepEqual(text, { namespace: 3, kind: 's', identifier: '"Data"."Level"[3]', ...whole });
  });

  test('may have semicolons, equal signs and anything else that can be seen in its text', () => {
    const text = parseAddress('ns=1;s=a;b=c;s=ü');
    assert.deepEqual(text, { namespace: 1, kind: 's', identifier: 'a;b=c;s=ü', ...whole });
  });

  test('names a part of a structure behind a #, a method by #(), and a # of the text twice', () => {
    const parts = (address: string) => {
      const parsed = parseAddress(address);
      return typeof parsed === 'string' ? parsed : [parsed.identifier, parsed.path, parsed.isMethod];
    };
    assert.deepEqual(parts('ns=2;s=X#field.sub[2]'), ['X', ['field', 'sub', [2]], false]);
    assert.deepEqual(parts('ns=2;i=7#[3].a b[1,2].c'), ['7', [[3], 'a b', [1, 2], 'c'], false]);
    assert.deepEqual(parts('ns=2;s=X##1'), ['X#1', [], false]);
    assert.deepEqual(parts('ns=2;s=X###a'), ['X#', ['a'], false]);
    assert.deepEqual(parts('ns=2;s=X.Start#()'), ['X.Start', [], true]);
    for (const path of ['field.sub[2]', '[0]', '[3].a b[1,2].c']) {
      const parsed = parseAddress(`i=1#${path}`);
      assert.equal(typeof parsed === 'string' ? parsed : formatPath(parsed.path), path);
    }
    for (const wrong of [
      '#',
      '#.a',
      '#a.',
      '#a..b',
      '#a[',
      '#a[x]',
      '#a]',
      '#a[1]b',
      '#a(',
      '#a()',
      `#${'[1]'.repeat(17)}`,
    ]) {
      assert.match(String(parseAddress(`ns=2;s=X${wrong}`)), /behind # is a path|must have the form/, wrong);
    }
    assert.match(String(parseAddress('ns=2;s=X;[3]#a')), /cannot be combined: use #\[3\]/);
    assert.ok(['Speed', 'Speed 1', '__proto__'].every(isFieldName));
    assert.ok(!['', 'a.b', '[1]', '.a', 'a#', 'a()', 'a,b'].some(isFieldName));
  });

  test('has the URI of a namespace as the specification escapes it, both ways', () => {
    const uri = 'urn:a;b%c';
    const address = parseAddress(`${formatNamespaceUri(uri)};i=1`);
    assert.equal(typeof address === 'string' ? address : address.namespace, uri);
  });

  test('is refused where a number is too large', () => {
    assert.match(String(parseAddress('ns=65536;i=1')), /0 to 65535/);
    assert.match(String(parseAddress('i=4294967296')), /at most 4294967295/);
    for (const wrong of ['', 'Tank1', 's=', 'ns=2', 'i=x', 'g=1', 'b=?', 'ns=2;s=a\n', 'i=1;[]', 'i=1;[1']) {
      assert.equal(typeof parseAddress(wrong), 'string', wrong);
    }
  });
});
