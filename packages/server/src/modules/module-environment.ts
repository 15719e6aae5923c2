// The environment of a module's processes: exactly this, nothing of the server's own.
import type { FunctionModule } from '@telltale/schema';

export interface ServiceUrls {
  readonly base: string;
  readonly channel: string;
}

const defaults = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/** The configuration may override the defaults, but not what the service sets. HOME is added by the keeper. */
export function moduleEnvironment(module: FunctionModule, urls: ServiceUrls, token: string): Record<string, string> {
  const { name, debug = false, env = {} } = module;
  return {
    ...defaults,
    ...env,
    TELLTALE_BASE_URL: urls.base,
    TELLTALE_WS_URL: urls.channel,
    TELLTALE_MODULE: name,
    TELLTALE_TOKEN: token,
    TELLTALE_NODE: process.execPath, // for programs in JavaScript: the machine's own may be old, or missing
    ...(debug && { TELLTALE_DEBUG: '1' }),
  };
}
