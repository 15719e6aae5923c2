// `telltale second-factor`: what people have beside a password to sign in. Who changes how to sign in enters the password anew.
import { printable, type SecondFactors, toTimestamp } from '@telltale/schema';
import type { Call, CommandDeclaration } from '../declaration.ts';
import { acting, asOptions, type Person, withSession } from '../sessions.ts';
import { timeText } from '../words.ts';

const own = (call: Call, work: (person: Person) => Promise<void>): Promise<void> => {
  const { options, token, server } = call;
  const user = options.get('as') ?? token?.key?.user;
  return withSession({ ...call, url: server.url, user, addsFactor: true }, work);
};

const show: CommandDeclaration = {
  path: ['second-factor', 'show'],
  summary:
    'Show your authenticator app, passkeys, and how many codes for recovery are left; your password is asked for',
  arguments: [],
  options: asOptions,
  run: (call) =>
    own(call, async ({ client }) => {
      const factors = await client.access.secondFactors.get(call);
      if (call.terminal.isJson) await call.terminal.json(factors);
      else await print(call, factors);
    }),
};

const totp: CommandDeclaration = {
  path: ['second-factor', 'totp'],
  summary: 'Set up an authenticator app: from then on, you sign in with its codes as well',
  arguments: [{ name: 'CODE', optional: true }],
  options: asOptions,
  details:
    'Shows a secret, and the same as an address for a QR code, and asks for the code that the app makes of it. Without a terminal, ' +
    'give that CODE with the same command within ten minutes. The codes for recovery are shown once: each signs in once in the place of ' +
    'the app. Keep them elsewhere than the app.',
  examples: ['telltale second-factor totp', 'telltale second-factor totp 123456 --as anna'],
  run: (call) =>
    own(call, async ({ client, identity, prompts }) => {
      const { secondFactors } = client.access;
      const { args, options, terminal } = call;
      const [given] = args;
      if (given !== undefined) return shown(call, await secondFactors.confirmTotp(given, call));
      const { secret, uri } = await secondFactors.beginTotp(call);
      if (options.has('password-stdin')) {
        if (terminal.isJson) await terminal.json({ secret, uri });
        else for (const text of [secret, uri]) await terminal.line(text);
        terminal.note('It counts when you send a code of it within ten minutes: telltale second-factor totp CODE');
        return;
      }
      terminal.note(`Secret of ${identity.identity}, to type into the app: ${printable(secret)}`);
      terminal.note(`The same, for a QR code: ${printable(uri)}`);
      await shown(call, await secondFactors.confirmTotp(await prompts.ask('Code that the app shows: '), call));
    }),
};

const recoveryCodes: CommandDeclaration = {
  path: ['second-factor', 'codes'],
  summary: 'Make new codes for recovery, and show them this once; the earlier ones end',
  arguments: [],
  options: asOptions,
  run: (call) =>
    own(call, async ({ client }) => shown(call, await client.access.secondFactors.renewRecoveryCodes(call))),
};

const remove: CommandDeclaration = {
  path: ['second-factor', 'remove'],
  summary: 'Remove your authenticator app, or passkeys by their ids',
  arguments: [{ name: 'totp|ID' }],
  repeatsFrom: 0,
  options: asOptions,
  examples: ['telltale second-factor remove totp'],
  run: (call) =>
    own(call, async ({ client }) => {
      const { secondFactors } = client.access;
      const removed: string[] = [];
      for (const id of call.args) {
        if (id === 'totp') await secondFactors.removeTotp(call);
        else await secondFactors.removePasskey(id, call);
        removed.push(id);
        if (!call.terminal.isJson) await call.terminal.line(`${id} is removed.`);
      }
      if (call.terminal.isJson) await call.terminal.json({ removed });
    }),
};

const reset: CommandDeclaration = {
  path: ['second-factor', 'reset'],
  summary: 'Remove all second factors of users who have lost them; their sessions end',
  arguments: [{ name: 'NAME', names: 'users' }],
  repeatsFrom: 0,
  options: asOptions,
  details:
    'For whoever manages users. The password of the user is enough from then on: make sure that it is this person who asks.',
  run: (call) =>
    acting(call, async (client) => {
      for (const name of call.args) {
        await client.access.users.removeSecondFactors(name, call);
        if (!call.terminal.isJson) await call.terminal.line(`${name} has no second factor any more.`);
      }
      if (call.terminal.isJson) await call.terminal.json({ reset: call.args });
    }),
};

export const secondFactorCommands: readonly CommandDeclaration[] = [show, totp, recoveryCodes, remove, reset];

async function shown({ terminal }: Call, codes: readonly string[]): Promise<void> {
  if (terminal.isJson) await terminal.json({ recoveryCodes: codes });
  else for (const code of codes) await terminal.line(code);
  terminal.note(
    codes.length === 0
      ? 'It holds; your codes for recovery are those of before.'
      : 'These codes for recovery are shown this once: each signs in once, where you have lost the other.',
  );
}

async function print({ terminal }: Call, { isRequired, totp: hasApp, passkeys, recoveryCodes: left }: SecondFactors) {
  const line = (title: string, text: string) => terminal.line({ text: title.padEnd(15), style: 'bold' }, text);
  await line('Required', isRequired ? 'by a role' : 'no');
  await line('App', hasApp ? 'set up' : 'none');
  await line('Recovery codes', String(left));
  const day = (seconds = 0) => timeText(toTimestamp(seconds * 1e6)).slice(0, 16);
  for (const { id, name, created, lastUsed } of passkeys) {
    await line(
      'Passkey',
      `${name}  made ${day(created)}, used ${lastUsed === undefined ? 'never' : day(lastUsed)}  ${id}`,
    );
  }
}
