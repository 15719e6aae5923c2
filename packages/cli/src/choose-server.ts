// Which server a command line means: what is nearest to the command wins.
import { defaultUrl } from '@telltale/client';
import { contextOf, contextsFile, type Environment, readContexts } from './contexts.ts';

export interface ChosenServer {
  readonly url: string;
  /** The name of the context that it is of. */
  readonly context?: string;
  /** What it was chosen by, for people. */
  readonly by: string;
}

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
  return { url: contextOf(contexts, name).url, context: name, by };
}
