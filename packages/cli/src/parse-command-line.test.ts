import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commands, globalOptions } from './commands.ts';
import { type CommandDeclaration, UsageError } from './declaration.ts';
import { helpText, usageOf } from './help.ts';
import { parseCommandLine } from './parse-command-line.ts';

const parse = (...args: string[]) => {
  const { command, args: values, options } = parseCommandLine(args, commands, globalOptions);
  return { command: command.path.join(' '), args: values, options: Object.fromEntries(options) };
};

test('whatever follows -- is an argument, as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('--', '--help', '-', 'ack', '__proto__'))), (words) => {
      assert.deepEqual(parse('alarms', '--', ...words), { command: 'alarms', args: words, options: {} });
    }),
  );
});

test('any words are understood, or refused as wrong usage', () => {
  const names = [...commands.flatMap(({ path }) => path), ...globalOptions.map(({ name }) => `--${name}`)];
  const word = fc.oneof(fc.constantFrom(...names, '--', '-5', '--for', '--constructor'), fc.string());
  fc.assert(
    fc.property(fc.array(word), (words) => {
      try {
        parseCommandLine(words, commands, globalOptions);
      } catch (error) {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, /^[^\n]+$/);
      }
    }),
  );
});

test('options may stand anywhere, with = or without', () => {
  const expected = { command: 'simulate', args: ['level', '5'], options: { for: '3', url: 'http://x/', json: '' } };
  assert.deepEqual(parse('--url', 'http://x/', 'simulate', 'level', '5', '--json', '--for', '3'), expected);
  assert.deepEqual(parse('simulate', '--for=3', 'level', '--url=http://x/', '--json', '5'), expected);
});

test('a negative number is a value, and - is a file', () => {
  assert.deepEqual(parse('write', 'a', '-5', 'b', '-.5').args, ['a', '-5', 'b', '-.5']);
  assert.deepEqual(parse('config', 'import', '-').args, ['-']);
  assert.throws(() => parse('write', 'a', '-x'), UsageError);
});

test('the longest command wins; after -- its last word is a name', () => {
  assert.deepEqual(parse('alarms', 'ack', 'fire'), { command: 'alarms ack', args: ['fire'], options: {} });
  assert.deepEqual(parse('alarms', '--', 'ack'), { command: 'alarms', args: ['ack'], options: {} });
  assert.deepEqual(parse('alarms', 'fire'), { command: 'alarms', args: ['fire'], options: {} });
});

test('arguments that come in pairs come in pairs', () => {
  for (const args of [[], ['a'], ['a', '1', 'b']]) assert.throws(() => parse('write', ...args), UsageError);
  assert.equal(parse('write', 'a', '1', 'b', '2').args.length, 4);
});

test('an option means the same in every command that has it', () => {
  const all = new Map<string, string | undefined>();
  for (const { name, value } of [...globalOptions, ...commands.flatMap(({ options }) => options)]) {
    assert.ok(!all.has(name) || all.get(name) === value, name);
    all.set(name, value);
  }
});

test('the help lists every command, and of each every option', () => {
  const text = helpText([], commands, globalOptions);
  for (const command of commands) {
    assert.equal(text.includes(`\n  ${command.path.join(' ')} `), command.isAlias !== true, command.path.join(' '));
    const own = helpText(command.path, commands, globalOptions);
    assert.ok(own.startsWith(`telltale ${usageOf(command)}\n`), command.path.join(' '));
    for (const { name, summary } of command.options)
      assert.ok(own.includes(`--${name}`) && own.includes(summary), name);
  }
});

test('the examples of the help are understood', () => {
  const examples = commands.flatMap((command: CommandDeclaration) => command.examples ?? []);
  for (const example of examples) {
    const [, words = ''] = /(?:^|\| )telltale (.*?)(?: >.*)?$/.exec(example) ?? [];
    const split = [...words.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word);
    assert.doesNotThrow(() => parse(...split), example);
  }
});
