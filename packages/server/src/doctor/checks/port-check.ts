// The port: free, taken by whom, or not for this user.
import { createServer } from 'node:net';
import { cannotListen } from '../../start-failed.ts';
import { type Check, type Examined, type Finding, ok, wrong } from '../finding.ts';
import { listeners, ownerOf, textOf } from '../machine.ts';

const check = 'port';

export const checkPort: Check = async (examined) => {
  const { settings } = examined;
  const { host, port } = settings;
  if (port === 0) return [ok(check, 'The server takes any free port.')];
  const error = await tryToListen(host, port);
  if (error === undefined) return [ok(check, `Port ${port} of ${host} is free.`)];
  if (error.code === 'EADDRINUSE') return [taken(examined)];
  return [wrong(check, sentence(cannotListen(error, settings).message), fixes[error.code ?? ''] ?? '--host, --port')];
};

const fixes: Record<string, string> = {
  EACCES: '--port 8080, or in the unit of the service: AmbientCapabilities=CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'ip address',
};

function taken({ machine, settings, serverPid }: Examined): Finding {
  const { host, port } = settings;
  const pid = ownerOf(machine, listeners(machine, port));
  if (serverPid !== undefined && (pid === undefined || pid === serverPid)) {
    return ok(check, `Port ${port} of ${host} is in use, as it should be: the server runs (process ${serverPid}).`);
  }
  const name = pid === undefined ? undefined : textOf(machine, `proc/${pid}/comm`)?.trim();
  const by = pid === undefined ? 'another program' : `${name ?? 'a program'} (process ${pid})`;
  const who = `sudo ss -ltnp 'sport = :${port}'`;
  return wrong(check, `Port ${port} of ${host} is taken by ${by}: stop it, or choose another with --port.`, who);
}

/** For a moment; undefined where it can be had. */
function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
