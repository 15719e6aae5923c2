import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatNamespaceUri, parseAddress } from './node-address.ts';

describe('an address', () => {
  test('names a namespace by number or URI, and a node by number, text, GUID or bytes', () => {
    const index: number[] = [];
    assert.deepEqual(parseAddress('ns=2;s=Tank1.Level'), { namespace: 2, kind: 's', identifier: 'Tank1.Level', index });
    assert.deepEqual(parseAddress('i=2258'), { namespace: 0, kind: 'i', identifier: '2258', index });
    assert.deepEqual(parseAddress('nsu=http://a/b;i=7'), {
      namespace: 'http://a/b',
      kind: 'i',
      identifier: '7',
      index,
    });
    assert.deepEqual(parseAddress('ns=1;b=AQI='), { namespace: 1, kind: 'b', identifier: 'AQI=', index });
    const guid = '09087e75-8e5e-499b-954f-f2a9603db28a';
    assert.deepEqual(parseAddress(`ns=1;g=${guid}`), {
      namespace: 1,
      kind: 'g',
      identifier: guid.toUpperCase(),
      index,
    });
  });

  test('names an element behind a semicolon; other brackets are of the text', () => {
    const element = parseAddress('ns=3;s="Data"."Level"[3];[4,0]');
    assert.deepEqual(element, { namespace: 3, kind: 's', identifier: '"Data"."Level"[3]', index: [4, 0] });
    const text = parseAddress('ns=3;s="Data"."Level"[3]');
    assert.deepEqual(text, { namespace: 3, kind: 's', identifier: '"Data"."Level"[3]', index: [] });
  });

  test('may have semicolons, equal signs and anything else that can be seen in its text', () => {
    const text = parseAddress('ns=1;s=a;b=c;s=ü');
    assert.deepEqual(text, { namespace: 1, kind: 's', identifier: 'a;b=c;s=ü', index: [] });
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
