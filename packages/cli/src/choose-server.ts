// Which server a command line means: what is nearest to the command wins.
import { defaultUrl } from '@telltale/client';
import type { ChosenServer } from './chosen.ts';
import { contextOf, contextsFile, readContexts } from './contexts.ts';
import type { Environment } from './personal-files.ts';

export const precedence = '--url, --context, TELLTALE_URL, TELLTALE_CONTEXT, the current context';

/** The first in the order of `precedence`, else the default. Empty variables are not set. */
export async function chooseServer(
  options: ReadonlyMap<string, string>,
  environment: Environment,
): Promise<ChosenServer> {
  const url = options.get('url');
  if (url !== undefined) return { url, by: '--url' };
  const named = options.get('context');
  if (named === undefined && environment.TELLTALE_URL) return { url: environment.TELLTALE_URL, by: 'TELLTALE_URL' };
  const contexts = await readContexts(contextsFile(environment));
  const asked = named ?? (environment.TELLTALE_CONTEXT || undefined);
  const name = asked ?? contexts.current;
  if (name === undefined) return { url: defaultUrl, by: 'the default' };
  const by = named !== undefined ? '--context' : asked !== undefined ? 'TELLTALE_CONTEXT' : 'the current context';
  const { url: known, caFile } = contextOf(contexts, name);
  return { url: known, context: name, by, ...(caFile !== undefined && { caFile }) };
}
