// A client of pymodbus in a process of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('./modbus-client.py', import.meta.url));

/** Carries out requests over one connection: a line each, as `modbus-client.py` says. */
export async function askByPymodbus(port: number, requests: readonly string[], env = {}): Promise<string[]> {
  const { stdout } = await promisify(execFile)('/usr/bin/python3', [script, String(port), ...requests], { env });
  return stdout.trimEnd().split('\n');
}
