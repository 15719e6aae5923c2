// Asks a server over the socket in its data folder, which only the owner of the folder reaches.
import { request } from 'node:http';
import { join, relative, resolve } from 'node:path';
import { type TelltaleClient, Unreachable } from '@telltale/client';
import { type Call, type OptionDeclaration, Refused } from './declaration.ts';
import { isSystemError } from './files.ts';

const socketName = 'access.sock';
/** Only for the Host header: nothing is looked up. */
const address = 'http://localhost/';

export const dataOption: OptionDeclaration = {
  name: 'data',
  value: 'FOLDER',
  summary: 'Data folder of the server; default: TELLTALE_DATA, else ./data',
};

export async function asOwner<T>(call: Call, work: (client: TelltaleClient) => Promise<T>): Promise<T> {
  const folder = resolve(call.options.get('data') ?? (call.environment.TELLTALE_DATA || 'data'));
  try {
    return await work(call.connect({ url: address, by: '' }, { fetch: overSocket(folder) }));
  } catch (error) {
    throw error instanceof Unreachable ? refusalOf(error, folder) : error;
  }
}

/** What of fetch the client needs here: bodies are texts, and answers are short. */
function overSocket(folder: string): typeof fetch {
  const path = join(folder, socketName);
  // The shorter one: the system takes some hundred characters.
  const socketPath = [path, relative('', path)].sort((a, b) => a.length - b.length)[0] as string;
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const { method = 'GET', body, signal } = init;
    const headers = { host: 'localhost', ...(init.headers as Record<string, string>) };
    const asked = { socketPath, method, path: pathname + search, headers, ...(signal && { signal }) };
    return new Promise<Response>((settle, reject) => {
      const asking = request(asked, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const { statusCode: status = 500 } = answer;
          settle(new Response(status === 204 ? null : Buffer.concat(chunks), { status }));
        });
      });
      asking.once('error', reject);
      asking.end(body ?? undefined);
    });
  };
}

function refusalOf(error: Unreachable, folder: string): Error {
  const { cause } = error;
  if (!isSystemError(cause)) return error;
  const { code } = cause;
  if (code === 'EACCES')
    return new Refused(`Only the owner of ${folder} may do this: run it as the user of the server.`);
  if (code !== 'ENOENT' && code !== 'ECONNREFUSED' && code !== 'ENOTSOCK') return error;
  const hint = '--data or TELLTALE_DATA says where its data folder is';
  return new Refused(`No server runs with the data folder ${folder}: start it, on this machine; ${hint}.`);
}
