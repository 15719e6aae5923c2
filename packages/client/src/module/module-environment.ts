// What the service gives each function module in its environment: where the service is, and who the module is.
export interface ModuleEnvironment {
  readonly name: string;
  /** The three that follow are options of `TelltaleClient` as well. */
  readonly base: string;
  readonly wsUrl: string;
  readonly token: string;
}

const variables = {
  name: 'TELLTALE_MODULE',
  base: 'TELLTALE_BASE_URL',
  wsUrl: 'TELLTALE_WS_URL',
  token: 'TELLTALE_TOKEN',
} as const;

/** Of `process.env`. Throws an Error that names what is missing. */
export function moduleEnvironment(env: Readonly<Record<string, string | undefined>>): ModuleEnvironment {
  const read = (variable: string) => {
    const value = env[variable] ?? '';
    if (value !== '') return value;
    const missing = Object.values(variables).filter((each) => (env[each] ?? '') === '');
    throw new Error(
      `The environment has no ${missing.join(', ')}: a function module is started by the service, which sets them. ` +
        'To try it by hand, set them all; any name and token do while the service is asked to check none.',
    );
  };
  return {
    name: read(variables.name),
    base: read(variables.base),
    wsUrl: read(variables.wsUrl),
    token: read(variables.token),
  };
}
