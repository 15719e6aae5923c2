// What the service gives each function module in its environment: where the service is, and who the module is.
export interface ModuleEnvironment {
  readonly name: string;
  /** The three that follow are options of `TelltaleClient` as well. */
  readonly base: string;
  readonly wsUrl: string;
  /** Undefined where it is empty: then the module asks as any program of this machine does. */
  readonly token: string | undefined;
}

const variables = {
  name: 'TELLTALE_MODULE',
  base: 'TELLTALE_BASE_URL',
  wsUrl: 'TELLTALE_WS_URL',
  token: 'TELLTALE_TOKEN',
} as const;

/** Given the environment of the process. Throws an Error that names what is missing. */
export function moduleEnvironment(env: Readonly<Record<string, string | undefined>>): ModuleEnvironment {
  const read = (variable: string) => {
    const value = env[variable];
    if (value !== undefined) return value;
    const missing = Object.values(variables).filter((each) => env[each] === undefined);
    throw new Error(
      `The environment has no ${missing.join(', ')}: a function module is started by the service, which sets them. ` +
        'To try it by hand, set them yourself; with an empty TELLTALE_TOKEN it asks as any program of this machine does.',
    );
  };
  return {
    name: read(variables.name),
    base: read(variables.base),
    wsUrl: read(variables.wsUrl),
    token: read(variables.token) || undefined,
  };
}
