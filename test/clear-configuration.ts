// Empties the configuration database of a server that several tests share. What runs, and the revisions, stay.
import { familyNames } from '@telltale/schema';
import type { ConfigClient } from './config-client.ts';

export async function clearConfiguration(client: ConfigClient): Promise<void> {
  const operations = [];
  for (const family of familyNames) {
    const names = await client.read<string[]>(`/${family}/names`);
    operations.push(...names.map((name) => ({ operation: 'delete', family, name })));
  }
  await client.done('POST', '/cfgdb/txn', { body: { operations } });
}
