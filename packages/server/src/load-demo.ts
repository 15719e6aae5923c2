// Loads the demo plant into an empty configuration.
import type { Logger } from 'pino';
import type { ConfigurationDatabase } from './cfgdb/index.ts';
import { StartFailed } from './start-failed.ts';

/** `folder` is that of the data, for the message where it fails. */
export async function loadDemo(cfgdb: ConfigurationDatabase, folder: string, log: Logger): Promise<void> {
  const objects = Object.values(cfgdb.figures?.objects ?? {});
  if (objects.some((count) => count > 0)) {
    log.warn('the configuration is not empty, so the demo plant was not loaded into it');
    return;
  }
  const { waterworks } = await import('@telltale/stack-waterworks/demo');
  const body = Buffer.from(JSON.stringify({ operations: waterworks }));
  try {
    await cfgdb.call('transaction', body, { commit: true, render: true }, 'demo');
  } catch (error) {
    throw new StartFailed(`the demo plant cannot be stored in ${folder}: ${(error as Error).message}`);
  }
  log.info(`loaded the demo plant: ${waterworks.length} objects`);
}
