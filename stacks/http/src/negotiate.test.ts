import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { negotiate } from './negotiate.ts';

test('the format is the one that the client likes best', () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;' +
    'q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
  assert.equal(negotiate(prometheus), 'openmetrics');
  assert.equal(negotiate('application/openmetrics-text'), 'openmetrics');
  assert.equal(negotiate('text/plain;version=0.0.4, application/openmetrics-text; version=1.0.0'), 'openmetrics');
  assert.equal(negotiate('text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.1'), 'text');
});

test('what names neither gets the text format', () => {
  const others = [
    undefined,
    '',
    '*/*',
    'text/html',
    'application/openmetrics-text;q=0',
    'application/openmetrics-text;version=2.0.0',
  ];
  for (const accept of others) assert.equal(negotiate(accept), 'text', accept ?? 'no header');
  fc.assert(fc.property(fc.string(), (accept) => ['text', 'openmetrics'].includes(negotiate(accept))));
});
