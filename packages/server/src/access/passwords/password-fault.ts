// Which passwords are too easy to guess: short ones, and those that are made of common passwords, names, sequences and
// repetitions alone. There are no rules of composition, and nobody must change a good one.
import { commonPasswords } from './common-passwords.ts';

const [fewest, most] = [12, 256];
/** Of characters that count: a common part counts as two, and one that repeats the part before it as one. */
const fewestFree = 8;
const [commonCost, repeatedCost] = [2, 1];
const [shortestPart, longestPart] = [3, 40];

/** Neighbours on keyboards, in the alphabet and among digits; backwards, too. */
const sequences = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  '!@#$%^&*()',
  '!"§$%&/()=',
].flatMap((text) => [text, Array.from(text).toReversed().join('')]);

/** The same text, however a keyboard composes it. */
export function normalized(password: string): string {
  return password.normalize('NFKC');
}

/** Why nobody should have it, as a sentence; undefined where it can be taken. */
export function passwordFault(password: string, user: string): string | undefined {
  if (!password.isWellFormed()) return 'The password is not a text of Unicode.';
  const text = normalized(password.slice(0, most * 4));
  const length = Array.from(text).length;
  if (length < fewest) return `The password has ${length} characters; it needs at least ${fewest}.`;
  if (length > most) return `The password has ${length} characters; at most ${most} are possible.`;
  const lower = text.toLowerCase();
  const free = Math.min(...[lower, withoutDisguise(lower)].map((form) => freeCharacters(form, user.toLowerCase())));
  if (free >= fewestFree) return undefined;
  return (
    'The password is easy to guess: it is made of common passwords, the name of the user, sequences or repetitions. ' +
    'Take several words that have nothing to do with each other, or a longer one.'
  );
}

const disguises: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

function withoutDisguise(text: string): string {
  return Array.from(text, (letter) => disguises[letter] ?? letter).join('');
}

/** How many characters it has where common parts count as few: the fewest, over all ways to part it. */
function freeCharacters(text: string, user: string): number {
  const letters = Array.from(text);
  const fewestTo = [0];
  for (let end = 1; end <= letters.length; end++) {
    let free = (fewestTo[end - 1] ?? 0) + 1;
    for (let start = end - shortestPart; start >= Math.max(0, end - longestPart); start--) {
      free = Math.min(free, (fewestTo[start] ?? 0) + costOf(letters, start, end, user));
    }
    fewestTo.push(free);
  }
  return fewestTo[letters.length] ?? 0;
}

function costOf(letters: readonly string[], start: number, end: number, user: string): number {
  const part = letters.slice(start, end);
  if (part.every((letter, at) => letter === letters[2 * start - end + at])) return repeatedCost;
  const text = part.join('');
  const isCommon = text === user || commonPasswords.has(text) || sequences.some((sequence) => sequence.includes(text));
  return isCommon || part.every((letter) => letter === part[0]) ? commonCost : part.length;
}
