import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { run } from './run.ts';

async function output(...args: string[]): Promise<string> {
  let text = '';
  const stream = {
    write: (chunk: string | Uint8Array) => {
      text += Buffer.from(chunk).toString();
      return true;
    },
    once: () => undefined,
  };
  const code = await run(args, {
    out: stream,
    err: stream,
    input: Readable.from([]),
    environment: { TELLTALE_URL: 'http://127.0.0.1:1/' },
    version: '',
    clock: systemClock,
    signal: new AbortController().signal,
  });
  assert.equal(code, 0, text);
  return text;
}

test('every shell has a script that says where to put it, and asks the same command for words', async () => {
  const shells = (await output('completion', 'words', '--', 'completion', '')).trim().split('\n');
  const scripts = shells.filter((word) => word !== 'words');
  assert.deepEqual(scripts.toSorted(), ['bash', 'fish', 'powershell', 'zsh']);
  for (const shell of scripts) {
    const script = await output('completion', shell);
    assert.match(script, new RegExp(`^(?:#compdef telltale\n)?# telltale completion ${shell} >`));
    assert.match(script, /telltale completion words /);
    assert.ok(script.endsWith('\n'));
  }
});

describe('the script for PowerShell', async () => {
  const script = await output('completion', 'powershell');

  test('registers a completer of a program, with the three parameters that PowerShell passes', () => {
    const lines = script.split('\n').map((line) => line.trim());
    assert.equal(lines[0], '# telltale completion powershell >> $PROFILE');
    assert.equal(lines[1], 'Register-ArgumentCompleter -Native -CommandName telltale -ScriptBlock {');
    assert.equal(lines[2], 'param($wordToComplete, $commandAst, $cursorPosition)');
  });

  test('closes every bracket and every quote, on the line or below', () => {
    const open: string[] = [];
    const pairs: Readonly<Record<string, string>> = { '}': '{', ')': '(', ']': '[' };
    const code = script.replaceAll(/^#.*$/gm, '').replaceAll(/"[^"\n]*"|'[^'\n]*'/g, '');
    assert.doesNotMatch(code, /["'`]/);
    for (const letter of code) {
      if ('{(['.includes(letter)) open.push(letter);
      else if (Object.hasOwn(pairs, letter)) assert.equal(open.pop(), pairs[letter]);
    }
    assert.deepEqual(open, []);
  });

  test('passes the last word as an option: PowerShell before 7.3 drops an argument that is empty', async () => {
    assert.match(script, /telltale completion words "--last=\$wordToComplete" '--' @words 2>\$null/);
    assert.equal(await output('completion', 'words', '--last=', '--', 'alarms', 'w'), '');
    assert.equal(await output('completion', 'words', '--last=wa', '--', 'alarms'), 'watch\n');
    const same = await output('completion', 'words', '--', 'alarms', '');
    assert.equal(await output('completion', 'words', '--last=', '--', 'alarms'), same);
    assert.match(same, /^ack\n/);
    assert.equal(await output('completion', 'words', '--last=--resa', '--', 'history'), '--resample\n');
    assert.equal(await output('completion', 'words', '--last=o', '--', 'history', '--simulated'), 'only\n');
  });
});
