// Who a command line asks as: what is nearest to the command wins.
import type { ChosenServer, ChosenToken } from './chosen.ts';
import { Refused, UsageError } from './declaration.ts';
import { readStart } from './files.ts';
import { findKey } from './keyring.ts';
import type { Environment } from './personal-files.ts';

const maxTokenFile = 4096;
/** What a header can carry. */
const tokenForm = /^[\x21-\x7e]{1,200}$/;

/** Undefined where there is none: the service may be open. Empty variables are not set. */
export async function chooseToken(
  options: ReadonlyMap<string, string>,
  environment: Environment,
  server: ChosenServer,
): Promise<ChosenToken | undefined> {
  const chosen = await find(options, environment, server);
  if (chosen !== undefined) checkPrivate(server.url, 'The token');
  return chosen;
}

async function find(
  options: ReadonlyMap<string, string>,
  environment: Environment,
  { url, context }: ChosenServer,
): Promise<ChosenToken | undefined> {
  const file = options.get('token-file');
  if (file !== undefined) {
    const start = await readStart(file, maxTokenFile);
    return { token: checkForm(start.toString('utf8'), file), by: '--token-file' };
  }
  const { TELLTALE_TOKEN: variable } = environment;
  if (variable) return { token: checkForm(variable, 'TELLTALE_TOKEN'), by: 'TELLTALE_TOKEN' };
  const key = await findKey(environment, { url, ...(context !== undefined && { context }) });
  return key && { token: key.token, by: 'telltale login', key };
}

function checkForm(text: string, where: string): string {
  const token = text.trim();
  if (tokenForm.test(token)) return token;
  throw new UsageError(`${where} has no token, which is tt_ and 49 letters, digits, - and _.`);
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Throws where others on the way could read along. */
export function checkPrivate(address: string, what: string): void {
  const url = URL.parse(address);
  if (url === null || url.protocol === 'https:' || loopbackHost.test(url.hostname)) return;
  throw new Refused(`${what} would go to ${url.host} in plain text: use https://${url.host}/`);
}
