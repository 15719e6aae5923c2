// The agent of net-snmp as the device of a test: its own objects of the system, and a subtree whose objects the test
// gives and changes in a file.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, PeerProcess } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

/** `type` in the words of `pass_persist`: integer, gauge, counter, counter64, timeticks, string, octet, ipaddress, objectid. */
export interface PeerObject {
  readonly oid: string;
  readonly type: string;
  readonly value: string;
  readonly writable?: boolean;
}

export interface PeerUser {
  readonly name: string;
  readonly auth: string;
  readonly authKey: string;
  readonly priv?: string;
  readonly privKey?: string;
}

export const peerBase = '1.3.6.1.4.1.8072.9999.9999.7';

/** Speaks `pass_persist`; objects below 99 are refused when they are set, and asked for below 98 it is slow. */
const script = `
import os, sys
path = sys.argv[1]
def load():
    with open(path) as f:
        rows = [line.rstrip('\\n').split('\\t', 3) for line in f if line.strip()]
    return {r[0]: r[1:] for r in rows}
def key(oid): return [int(x) for x in oid.strip('.').split('.')]
def say(*lines):
    sys.stdout.write(''.join(l + '\\n' for l in lines)); sys.stdout.flush()
def line(): return sys.stdin.readline().rstrip('\\n')
while True:
    command = sys.stdin.readline()
    if not command: break
    command = command.strip()
    if command == 'PING': say('PONG')
    elif command == 'get':
        oid = line().strip('.')
        o = load().get(oid)
        say('.' + oid, o[0], o[2]) if o else say('NONE')
    elif command == 'getnext':
        oid = line().strip('.')
        after = sorted((o for o in load() if key(o) > key(oid)), key=key)
        if after:
            o = load()[after[0]]
            say('.' + after[0], o[0], o[2])
        else: say('NONE')
    elif command == 'set':
        oid = line().strip('.')
        kind, _, value = line().partition(' ')
        if value.startswith('"') and value.endswith('"'): value = value[1:-1]
        objects = load()
        o = objects.get(oid)
        if not o or o[1] != 'rw': say('not-writable')
        elif o[0] != kind and not (o[0] == 'string' and kind == 'octet'): say('wrong-type')
        elif value == '666': say('wrong-value')
        else:
            objects[oid] = [o[0], o[1], value]
            with open(path + '.script', 'w') as f:
                for name, x in objects.items(): f.write('\\t'.join([name] + x) + '\\n')
            os.rename(path + '.script', path)
            say('DONE')
`;

export class SnmpdPeer {
  readonly port: number;
  readonly process: PeerProcess;
  readonly #cleanup: AsyncDisposableStack;
  readonly #objects: string;

  static async start({
    objects = [],
    users = [],
    settings = [],
    engine,
    port: wanted,
  }: {
    readonly objects?: readonly PeerObject[];
    readonly users?: readonly PeerUser[];
    readonly settings?: readonly string[];
    /** Its identity in hexadecimal, and how often it was started before. */
    readonly engine?: { readonly id: string; readonly boots: number };
    /** Of one that was stopped, to take its place; else a free one. */
    readonly port?: number;
  }): Promise<SnmpdPeer> {
    await using cleanup = new AsyncDisposableStack();
    const folder = temporaryFolder(cleanup);
    const port = wanted ?? (await freePort());
    const path = join(folder, 'objects');
    writeFileSync(path, objects.map(rowOf).join(''));
    writeFileSync(join(folder, 'objects.py'), script);
    const lines = [
      `agentaddress udp:127.0.0.1:${port}`,
      'rocommunity reading',
      'rwcommunity writing',
      'sysServices 72',
      `pass_persist .${peerBase} /usr/bin/python3 -u ${join(folder, 'objects.py')} ${path}`,
      ...users.flatMap(({ name, auth, authKey, priv, privKey }) => [
        `createUser ${name} ${auth} "${authKey}" ${priv === undefined ? '' : `${priv} "${privKey}"`}`,
        `rwuser ${name} ${priv === undefined ? 'auth' : 'priv'}`,
      ]),
      ...(engine === undefined ? [] : engineLines(engine)),
      ...settings,
    ];
    const file = join(folder, 'snmpd.conf');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const process = await PeerProcess.start({
      command: 'snmpd',
      args: ['-f', '-Lo', '-C', '-c', file, '-I', '-smux'],
      folder,
      env: { SNMP_PERSISTENT_DIR: folder, SNMPCONFPATH: folder, MIBS: '' },
      isReady: ({ said }) => said.includes('NET-SNMP version'),
    });
    cleanup.defer(() => process.stop());
    return new SnmpdPeer(port, process, path, cleanup.move());
  }

  private constructor(port: number, process: PeerProcess, objects: string, cleanup: AsyncDisposableStack) {
    this.port = port;
    this.process = process;
    this.#cleanup = cleanup;
    this.#objects = objects;
  }

  set(oid: string, value: string): void {
    const rows = this.#rows().map((row) => (row[0] === oid ? [row[0], row[1], row[2], value] : row));
    writeFileSync(`${this.#objects}.test`, rows.map((row) => `${row.join('\t')}\n`).join(''));
    renameSync(`${this.#objects}.test`, this.#objects);
  }

  get(oid: string): string | undefined {
    return this.#rows().find((row) => row[0] === oid)?.[3];
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  #rows(): string[][] {
    const lines = readFileSync(this.#objects, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => line.split('\t'));
  }
}

function rowOf({ oid, type, value, writable = false }: PeerObject): string {
  return `${[oid, type, writable ? 'rw' : 'ro', value].join('\t')}\n`;
}

function engineLines({ id, boots }: { readonly id: string; readonly boots: number }): string[] {
  return [`engineBoots ${boots}`, `oldEngineID 0x${id}`, `exactEngineID 0x${id}`];
}
