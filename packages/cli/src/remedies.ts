// What to do at a terminal where the service refuses: other than in the catalogue of problems, which is for programs.
import type { TelltaleProblem } from '@telltale/client';
import type { ChosenToken } from './chosen.ts';

/** Empty or undefined where the message says all. */
export function remedyOf(error: TelltaleProblem, token: ChosenToken | undefined): string | undefined {
  const { problem, detail, remedy } = error;
  if (problem === 'not-allowed') return remedyOfDenial(detail);
  if (problem === 'invalid-token' && token !== undefined) return remedyOfToken(token);
  if (problem === 'unknown-object') return `To see what there is: telltale ${listOf(detail)}`;
  return remedies[problem] ?? remedy;
}

/** Of the other refusals, the detail says what to do. */
function remedyOfDenial(detail: string): string {
  if (!detail.includes('the permission')) return '';
  return 'telltale whoami shows what you may do; an administrator grants more. To sign in as another user: telltale login';
}

function remedyOfToken({ key, by }: ChosenToken): string {
  return key === undefined
    ? `It is that of ${by}, and has expired, was deleted, or is not taken from here: telltale token list shows those that there are, telltale token make makes one.`
    : 'Sign in again: telltale login. Where the server has no users, forget it: telltale logout.';
}

/** By what the detail says that there is none of. */
function listOf(detail: string): string {
  const [, kind = ''] = /^There is no ([a-z ]+) "/.exec(detail) ?? [];
  return lists[kind] ?? 'config get FAMILY';
}

const lists: Readonly<Record<string, string | undefined>> = {
  user: 'user list',
  role: 'role list',
  token: 'token list',
  session: 'session list',
  'request for approval': 'approval list',
};

const remedies: Readonly<Record<string, string | undefined>> = {
  'not-signed-in': 'Sign in: telltale login. A program has a token: --token-file or TELLTALE_TOKEN.',
  'unknown-revision': 'To see which there are: telltale config revisions',
  'reason-needed': 'Give one: --reason TEXT, or --comment TEXT for telltale config render.',
  'signature-needed': 'Sign it: the same command with --sign and --reason TEXT asks for your password.',
  'invalid-name': '',
  'approval-ended': 'Nothing was sent by this. Request it again where it is still wanted.',
};
