import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseType } from './choose-type.ts';

const offered = ['application/json', 'text/csv', 'application/vnd.telltale.columns'];

for (const [accept, wanted] of [
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/csv'],
  ['application/*', 'application/json'],
  ['text/html, application/xml;q=0.9, */*;q=0.8', 'application/json'],
  ['application/json;q=0.5, text/csv;q=0.9', 'text/csv'],
  ['application/json;q=0, */*', 'text/csv'],
  ['application/vnd.telltale.columns, application/json;q=0.9', 'application/vnd.telltale.columns'],
  ['text/html', undefined],
  ['*/*;q=0', undefined],
  ['', undefined],
  [',;q=,=;', undefined],
  ['text/csv;q=many', undefined],
] as const) {
  test(`a client that accepts ${JSON.stringify(accept)} gets ${wanted ?? 'nothing'}`, () => {
    assert.equal(chooseType(accept, offered), wanted);
  });
}
