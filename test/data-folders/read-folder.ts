// Reads everything that a data folder holds, through a server that runs on it.
import assert from 'node:assert/strict';
import { familyNames } from '@telltale/schema';
import type { ServerProcess } from '../server-process.ts';

/** From before the first record of the fixtures to after the last one; what a later start adds is later. */
const [since, until] = [1_500_000_000, 1_736_000_000];

/** From path to what is read there. */
export type Contents = Record<string, unknown>;

export async function readFolder(server: ServerProcess): Promise<Contents> {
  const contents: Contents = {};
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(server.url + path);
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    contents[path] = isJson ? JSON.parse(text) : text;
    return contents[path];
  };
  const config = '/config/v2';
  for (const family of familyNames) await read(`${config}/${family}/`);
  await read(`${config}/cfgdb/render`);
  await read(`${config}/cfgdb/diff`);
  const revisions = (await read(`${config}/cfgdb/revisions`)) as { id: number }[];
  for (const { id } of revisions) await read(`${config}/cfgdb/revisions/${id}?configuration=1`);
  await read(`${config}/function-modules/greeter/executable`);
  for (const path of ['commands/', 'alarms/', 'simulations', 'measurements/?fields=name,vtq&names=level']) {
    await read(`/data/${path}`);
  }
  for (const kind of ['measurements', 'commands', 'alarms']) {
    const names = (await read(`/data/archive/${kind}/names`)) as string[];
    for (const name of names) await read(`/data/archive/${kind}/${name}/${since}/${until}`);
  }
  return contents;
}
