// A strict reader of the two exposition formats, written from their specifications and not from the exporter. Whatever
// they do not allow is an error.
import assert from 'node:assert/strict';

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** As it is written. */
  readonly text: string;
  /** Of the text format in milliseconds, of OpenMetrics in seconds. */
  readonly timestamp: number | undefined;
}

export interface ParsedFamily {
  readonly name: string;
  type: string | undefined;
  help: string | undefined;
  readonly samples: ParsedSample[];
}

const nameForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const labelForm = /^[a-zA-Z_][a-zA-Z0-9_]*/;
const realNumber = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const textTypes = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const openTypes = ['counter', 'gauge', 'histogram', 'gaugehistogram', 'stateset', 'info', 'summary', 'unknown'];

/** The text format, version 0.0.4. */
export function parseTextFormat(page: string): Map<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>();
  let present: ParsedFamily | undefined;
  assert.ok(page === '' || page.endsWith('\n'), 'the last line must end with a line feed');
  for (const line of page.split('\n').slice(0, -1)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/s.exec(line) ?? [];
    if (kind !== undefined) {
      assert.match(name, new RegExp(`${nameForm.source}$`));
      if (present?.name !== name) present = open(families, name);
      describeFamily(present, kind, rest, textTypes, /^(?:[^\\]|\\[\\n])*$/);
    } else if (line !== '' && !line.startsWith('#')) {
      const sample = parseSample(line, /^-?[0-9]+$/);
      if (present?.name !== sample.name) present = open(families, sample.name);
      present.samples.push(sample);
    }
  }
  for (const family of families.values()) assertUnique(family);
  return families;
}

/** OpenMetrics 1.0.0. */
export function parseOpenMetrics(page: string): Map<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>();
  let present: ParsedFamily | undefined;
  const lines = page.split('\n');
  assert.equal(lines.pop(), '', 'the page must end with a line feed');
  assert.equal(lines.pop(), '# EOF', 'the page must end with # EOF');
  for (const line of lines) {
    assert.notEqual(line, '', 'no line may be empty');
    if (line.startsWith('#')) {
      const [, kind, name = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.*)$/s.exec(line) ?? [];
      assert.ok(kind !== undefined, line);
      assert.match(name, new RegExp(`${nameForm.source}$`));
      if (present?.name !== name) present = open(families, name);
      describeFamily(present, kind, rest, openTypes, /^(?:[^\\"]|\\[\\n"])*$/);
      continue;
    }
    const sample = parseSample(line, realNumber);
    assert.ok(present !== undefined, `${line}: no family is open`);
    const suffix = present.type === 'counter' ? '_total' : present.type === 'info' ? '_info' : '';
    assert.equal(sample.name, present.name + suffix, line);
    if (present.type === 'info') assert.equal(sample.value, 1, line);
    if (present.type === 'counter') assert.ok(sample.value >= 0 || Number.isNaN(sample.value), line);
    present.samples.push(sample);
  }
  const sampleNames = new Set<string>();
  for (const family of families.values()) {
    assertUnique(family);
    for (const name of [family.name, `${family.name}_total`, `${family.name}_info`]) {
      assert.ok(!sampleNames.has(name) || name !== family.name, `${name} clashes with another family`);
      sampleNames.add(name);
    }
  }
  return families;
}

/** All lines of a family stand together: a name that comes a second time is an error. */
function open(families: Map<string, ParsedFamily>, name: string): ParsedFamily {
  assert.ok(!families.has(name), `${name} is there twice`);
  const family: ParsedFamily = { name, type: undefined, help: undefined, samples: [] };
  families.set(name, family);
  return family;
}

function describeFamily(
  family: ParsedFamily,
  kind: string,
  rest: string,
  types: readonly string[],
  helpForm: RegExp,
): void {
  assert.deepEqual(family.samples, [], `${kind} of ${family.name} stands behind its samples`);
  if (kind === 'TYPE') {
    assert.equal(family.type, undefined, `${family.name} has two types`);
    assert.ok(types.includes(rest), `${rest} is no type`);
    family.type = rest;
  } else if (kind === 'HELP') {
    assert.equal(family.help, undefined, `${family.name} has two helps`);
    assert.match(rest, helpForm);
    family.help = unescaped(rest);
  }
}

function parseSample(line: string, timestampForm: RegExp): ParsedSample {
  const [name = ''] = nameForm.exec(line) ?? [];
  assert.notEqual(name, '', `${line}: no name`);
  let rest = line.slice(name.length);
  const labels: [string, string][] = [];
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const [label = ''] = labelForm.exec(rest) ?? [];
      const [quoted = ''] = /^="(?:[^"\\\n]|\\[\\n"])*"/.exec(rest.slice(label.length)) ?? [];
      assert.ok(label !== '' && quoted !== '', `${line}: a label is wrong`);
      labels.push([label, unescaped(quoted.slice(2, -1))]);
      rest = rest.slice(label.length + quoted.length);
      if (rest.startsWith(',')) rest = rest.slice(1);
      else assert.ok(rest.startsWith('}'), `${line}: labels are not separated`);
    }
    rest = rest.slice(1);
  }
  assert.equal(new Set(labels.map(([label]) => label)).size, labels.length, `${line}: a label is there twice`);
  assert.ok(rest.startsWith(' '), `${line}: a space is missing`);
  const [text = '', timestamp, ...more] = rest.slice(1).split(' ');
  assert.deepEqual(more, [], line);
  assert.ok(realNumber.test(text) || ['NaN', '+Inf', '-Inf'].includes(text), `${line}: ${text} is no number`);
  if (timestamp !== undefined) assert.match(timestamp, timestampForm, line);
  const value = text.endsWith('Inf') ? Number(`${text[0]}Infinity`) : Number(text);
  const time = timestamp === undefined ? undefined : Number(timestamp);
  return { name, labels: Object.fromEntries(labels), value, text, timestamp: time };
}

function unescaped(text: string): string {
  return text.replace(/\\([\\n"])/g, (_, mark) => (mark === 'n' ? '\n' : mark));
}

function assertUnique({ name, samples }: ParsedFamily): void {
  const identities = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
  assert.equal(new Set(identities).size, identities.length, `a sample of ${name} is there twice`);
}
