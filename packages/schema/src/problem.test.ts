// Promises of the catalogue of problems.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { ProblemError, type ProblemName, problemMediaType, problemPage, problems } from './problem.ts';
import { checker } from './validate.ts';
import { Problem } from './wire-schemas.ts';

const entries = Object.entries(problems);
const names = Object.keys(problems) as ProblemName[];

test('each problem has a name for an address, a status of an error, a title and a remedy', () => {
  for (const [name, { status, title, remedy }] of entries) {
    assert.match(name, /^[a-z]+(?:-[a-z]+)*$/);
    assert.ok(STATUS_CODES[status] !== undefined && status >= 400 && status < 600, `${name}: ${status}`);
    assert.match(title, /^[A-Z].*[^.]$/, name);
    assert.match(remedy, /^[A-Z].*\.$/, name);
  }
});

test('no two problems share a title, a page or a remedy', () => {
  for (const of of [
    entries.map(([, { title }]) => title),
    entries.map(([, { remedy }]) => remedy),
    names.map(problemPage),
  ]) {
    assert.equal(new Set(of).size, names.length);
  }
});

test('there is a problem for every status that the documents have for a failure', () => {
  const statuses = new Set<number>(entries.map(([, { status }]) => status));
  for (const status of [400, 403, 404, 405, 413, 415, 500]) assert.ok(statuses.has(status), String(status));
});

test('a problem as a body has the status and title of the catalogue, the page, and the detail', () => {
  const { faults } = checker(Problem);
  for (const name of names) {
    const body = JSON.parse(JSON.stringify(new ProblemError(name, 'What happened.')));
    const { status, title } = problems[name];
    assert.deepEqual(body, { type: `/docs/#problem-${name}`, title, status, detail: 'What happened.' });
    assert.deepEqual(faults(body), []);
  }
});

test('a problem carries its errors where there are any', () => {
  const errors = [
    { path: '/severity', message: 'is required' },
    { path: '/alarms/a/leader', message: 'is wrong', family: 'alarms', name: 'a', field: 'leader' },
  ];
  const error = new ProblemError('invalid-body', 'Two things.', errors);
  assert.deepEqual(error.toJSON().errors, errors);
  assert.deepEqual(checker(Problem).faults(error.toJSON()), []);
  assert.equal(Object.hasOwn(new ProblemError('internal', '').toJSON(), 'errors'), false);
});

test('a problem is an error that can be distinguished from others', () => {
  const error = new ProblemError('unknown-object', 'alarms has no x.');
  assert.ok(error instanceof Error);
  assert.deepEqual(
    [error.name, error.message, error.problem, error.status],
    ['ProblemError', 'alarms has no x.', 'unknown-object', 404],
  );
});

test('the media type is that of RFC 9457', () => {
  assert.equal(problemMediaType, 'application/problem+json');
});
