import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BerReader, element, integerContent, Malformed, oidContent, oidOf, signedOf, tag, unsignedOf } from './ber.ts';

const arcs = fc
  .tuple(
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 39 }),
    fc.array(fc.nat({ max: 2 ** 32 - 1 }), { maxLength: 126 }),
  )
  .map(([first, second, rest]) => [first, second, ...rest].join('.'));

test('an object identifier reads back as it was written', () => {
  fc.assert(fc.property(arcs, (oid) => assert.equal(oidOf(oidContent(oid)), oid)));
  assert.equal(oidContent('1.3.6.1.4.1.2680.1').toString('hex'), '2b06010401947801');
  assert.equal(oidOf(oidContent('2.999.4294967295')), '2.999.4294967295');
});

test('an integer reads back as it was written, in as few bytes as can be', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      assert.equal(signedOf(integerContent(value)), value);
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
      assert.equal(unsignedOf(integerContent(value), 8), value);
    }),
  );
  const bytes = [0, 127, 128, -128, -129, 255, 256].map((value) => integerContent(value).toString('hex'));
  assert.deepEqual(bytes, ['00', '7f', '0080', '80', 'ff7f', '00ff', '0100']);
  assert.equal(unsignedOf(Buffer.from('ffffffff', 'hex'), 4), 4294967295n);
  assert.throws(() => unsignedOf(Buffer.from('0100000000', 'hex'), 4), Malformed);
  assert.throws(() => signedOf(Buffer.alloc(0)), Malformed);
});

test('an element of any length reads back, and one that claims more than there is does not', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const content = Buffer.alloc(length, 7);
    const bytes = element(tag.octets, content);
    const reader = new BerReader(bytes);
    assert.deepEqual(reader.content(tag.octets), content);
    reader.end();
    if (length > 0) assert.throws(() => new BerReader(bytes.subarray(0, -1)).content(tag.octets), Malformed);
  }
  for (const wrong of ['0480', '0485ffffffffff', '0484ffffffff', '04', '048201', '0502']) {
    assert.throws(() => new BerReader(Buffer.from(wrong, 'hex')).content(tag.octets), Malformed, wrong);
  }
});

test('any bytes at all are read, or are malformed, and never anything else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      for (const read of [oidOf, signedOf, (content: Uint8Array) => unsignedOf(content, 4)]) {
        try {
          read(bytes);
        } catch (error) {
          assert.ok(error instanceof Malformed);
        }
      }
    }),
  );
});
