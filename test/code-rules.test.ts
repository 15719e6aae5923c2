// Promises of the code: what only a few named files may do, and what every file has.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { datatypes } from '@telltale/schema';
import { root, sourceFiles } from './source-files.ts';

/** The files that read the system's clock themselves. All others are given one, so that tests move time by hand. */
const readsTheClock: Record<string, string> = {
  'packages/schema/src/clock.ts': 'makes the clock that the others are given',
};

/**
 * The files that subtract or compare times of day, and why a time of day that is set does no harm there. Whatever lasts a
 * while is counted by the monotonic clock.
 */
const comparesTimesOfDay: Record<string, string> = {
  'packages/server/src/api/credentials.ts': 'whether the certificate of a client has expired',
  'packages/server/src/bus/sites/sites.ts': 'how far the clock of a site is ahead, for people',
  'packages/server/src/doctor/checks/tls-check.ts': 'whether a certificate expires',
  'packages/schema/src/clock.ts': 'events of one millisecond get times that differ',
  'packages/schema/src/testing/manual-clock.ts': 'is the clock of tests',
  'packages/server/src/access/passwords/known-devices.ts':
    'a mark says until when it holds, over restarts; it lets nobody in',
  'packages/server/src/enrolment/own-bus.ts': 'whether the certificate of a server of the bus ends soon',
  'packages/server/src/enrolment/member-list.ts': 'a code says until when it is good, over restarts; it is good once',
  'packages/server/src/operations/archive/archive-growth.ts':
    'how long ago the first record is, which has a time of day',
  'packages/server/src/operations/archive/interval.ts': 'a request asks for times before the present one',
  'packages/server/src/archive/rules/clock-watch.ts': 'finds jumps: both clocks, held against each other',
  'packages/server/src/archive/store/steady-clock.ts': 'finds jumps, and a clock that is wrong from the start',
  'packages/server/src/archive/store/retention.ts': 'records are as old as their times say; steady-clock.ts guards it',
  'packages/server/src/archive/store/expiry.ts': 'records are as old as their times say; steady-clock.ts guards it',
  'packages/server/src/archive/store/newest-plausible.ts': 'whether the time of a record can be right',
  'packages/server/src/archive/store/archive-stats.ts': 'counts the records of the last day',
  'packages/server/src/doctor/checks/clock-check.ts': 'whether the clock can be right, and was set back',
  'packages/stack-kit/src/poll/source-times.ts': 'whether the time that a device tells can be right',
  'packages/stack-kit/src/testing/hosted-connector.ts': 'whether the time of a reading can be right',
  'packages/web/src/views/audit/audit-choice.ts': 'a request asks for times before the present one',
  'packages/web/src/data/overview.ts': 'how far the clock of the service is ahead of that of the browser',
  'stacks/mqtt/src/forward/missing-times.ts':
    'records are found by their times; one that is set back makes it send more',
  'stacks/opcua/src/gap-list.ts': 'gaps are as old as the times of records say',
  'stacks/opcua/src/history-aggregates.ts': 'a request asks for times before and after the present one',
  'stacks/opcua/src/history-at-time.ts': 'a request asks for times before and after the present one',
};

/** The files that compare or list letters which datatypes have as well, and what the letters mean there. */
const comparesLetters: Record<string, string> = {
  'packages/schema/src/datatype.ts': 'the traits: all that tells datatypes apart',
  'packages/schema/src/duration.ts': 'units of time: s and d',
  'packages/schema/src/stack-description.ts': 'units of time',
  'packages/server/src/api/page/docs-example.ts': 'the datatype of the object in an example',
  'packages/server/src/sheets/read-xlsx.ts': 'types of cells in a workbook',
  'packages/web/src/words/de/points.ts': 'what datatypes are called in German; without one, it does not compile',
  'packages/web/src/words/en/points.ts': 'what datatypes are called in English; without one, it does not compile',
  'packages/web/src/words/de/point.ts': 'what people call the datatypes, in German',
  'packages/web/src/words/en/point.ts': 'what people call the datatypes',
  'stacks/http/src/connector-variables.ts': 'units of time',
  'stacks/mqtt/src/measurement-settings.ts': 'units of time',
  'stacks/opcua/src/node-address.ts': 'kinds of node ids: i, s, g and b',
  'stacks/opcua/src/node-item.ts': 'kinds of node ids',
  'stacks/opcua/src/unit-codes.ts': 'symbols of units, such as s and d',
};

/** The source files in which something of this form stands outside of comments, sorted. */
function filesWith(form: RegExp): string[] {
  const code = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return sourceFiles()
    .filter((file) => form.test(code(file)))
    .sort();
}

describe('the sources', () => {
  test('only the named files read the clock of the system', () => {
    const form = /\bDate\.now\b|\bnew Date\(\)|(?<!new )\bDate\(|\btimeOrigin\b|\bhrtime\b|\bprocess\.uptime\b/;
    assert.deepEqual(filesWith(form), Object.keys(readsTheClock).sort());
  });

  test('only the named files subtract or compare times of day', () => {
    const now = String.raw`(?:\b[cC]lock\.now\(\)|\bnowUs\b)`;
    const form = new RegExp(`${now} *(?:-|[<>])|(?:-|[<>]=?|[<>]) *(?:[\\w.#]*[cC]lock\\.now\\(\\)|nowUs\\b)`);
    assert.deepEqual(filesWith(form), Object.keys(comparesTimesOfDay).sort());
  });

  test('one file listens for aborts, so that whoever waits for one also stops listening', () => {
    assert.deepEqual(filesWith(/(?:EventListener\('|on\w*\('|\.on)abort\b/), ['packages/schema/src/abort.ts']);
  });

  test('only the traits of a datatype distinguish it from others: a new one is one record', () => {
    const letter = `'[${datatypes.join('')}]'`;
    const forms = [
      `[=!]==? ${letter}`,
      `${letter} [=!]==? `,
      `\\bcase ${letter}:`,
      `\\.(?:includes|startsWith|endsWith|indexOf|has)\\(${letter}`,
      `'[${datatypes.join('')}]+'\\.(?:includes|indexOf)\\(`,
      `\\[(?:'[a-z]+',|\\.{3}\\w+,|\\s)*${letter}`,
      `\\bRecord<(?:Exclude<)?Datatype\\b`,
      `\\b${datatypes[0]}: [^;]*\\b${datatypes[1]}: [^;]*\\b${datatypes[2]}: `,
    ];
    assert.deepEqual(filesWith(new RegExp(forms.join('|'))), Object.keys(comparesLetters).sort());
  });

  test('only main.ts reads the command line and the environment', () => {
    const children = ['packages/server/src/cfgdb/upload-reader.ts'];
    const wrong = sourceFiles().filter(
      (file) =>
        !file.endsWith('/main.ts') &&
        !children.includes(file) &&
        !file.startsWith('packages/launcher/src/') &&
        !file.startsWith('packages/stack-kit/src/testing/') &&
        /process\.(?:argv|env)\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    assert.deepEqual(wrong, []);
  });

  test('every file opens with a line that says what it owns', () => {
    const wrong = sourceFiles().filter((file) => !/^(?:#!.*\n)?\/\/ \S/.test(readFileSync(join(root, file), 'utf8')));
    assert.deepEqual(wrong, []);
  });
});

describe('the tests', () => {
  const patterns = ['{packages,stacks}/*/{src,test}/**/*.ts', 'test/**/*.ts', 'scripts/**/*.ts'];
  const files = globSync(patterns, { cwd: root }).filter((file) => file !== 'test/code-rules.test.ts');
  const whoSay = (what: RegExp) => files.filter((file) => what.test(readFileSync(join(root, file), 'utf8')));

  test('have temporary folders from one place, which removes them after what runs in them has ended', () => {
    assert.deepEqual(whoSay(/\btmpdir\b/), ['packages/stack-kit/src/testing/cleanup.ts']);
  });

  test('start the server in one place, which ends it whatever throws', () => {
    assert.deepEqual(whoSay(/server\/(?:src\/main\.ts|bin\/)/), ['test/server-process.ts']);
  });
});
