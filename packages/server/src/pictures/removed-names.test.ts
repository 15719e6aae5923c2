// Promises of what is told to be removed from an SVG.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanSvg } from './clean-svg.ts';
import { mostRemovedNames, removedNames } from './removed-names.ts';

const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:e="http://editor.example/" xmlns:x="http://www.w3.org/1999/xlink">${inner}</svg>`;
const removedOf = (text: string) => removedNames(text, cleanSvg(text)).map(({ name, count }) => [name, count]);

test('every element and attribute that is gone is named, and how often', () => {
  const hostile = svg(
    '<script>alert(1)</script><rect onclick="a()" width="1"/><g onclick="b()"><image x:href="http://evil.example/"/></g>' +
      '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="c()"/></foreignObject>',
  );
  assert.deepEqual(removedOf(hostile), [
    ['script', 1],
    ['onclick=', 2],
    ['href=', 1],
    ['foreignObject', 1],
    ['body', 1],
    ['onload=', 1],
  ]);
});

test('what looks the same is not told: styles, classes, what editors write, and the text within', () => {
  const text = '<style>.a{fill:red}</style><e:layer e:name="x"/><rect class="a" style="stroke:blue" e:label="y"/>';
  assert.deepEqual(removedOf(svg(`${text}<text>&lt;script></text>`)), []);
});

test('a hostile file does not make the list long, nor its names', () => {
  const many = Array.from({ length: mostRemovedNames + 5 }, (_, at) => `<n${at}/>`).join('');
  assert.equal(removedOf(svg(many)).length, mostRemovedNames);
  const [[name = ''] = []] = removedOf(svg(`<${'n'.repeat(9000)}/>`)) as [string, number][];
  assert.equal(name.length, 81);
});
