// `telltale doctor`: what people get wrong on the machine of the server. The server's own program looks, so that both know the
// same; it is asked here, and shown.
import { type Call, type CommandDeclaration, Refused } from '../declaration.ts';
import { askServerProgram } from '../server-program.ts';
import type { Style } from '../terminal.ts';

export interface DoctorFinding {
  readonly check: string;
  readonly level: 'ok' | 'note' | 'wrong';
  readonly text: string;
  /** A command, or what to set; null where nothing is to be done. */
  readonly fix: string | null;
}

const settings = [
  'data',
  'host',
  'port',
  'store',
  'site',
  'bus',
  'bus-role',
  'lease',
  'lease-password-file',
  'lease-ttl',
] as const;

export const doctor: CommandDeclaration = {
  path: ['doctor'],
  summary: 'Look at this machine for what keeps a server from starting or working, and say what to do',
  arguments: [],
  options: [
    { name: 'data', value: 'FOLDER', summary: 'Data folder of the server; default: TELLTALE_DATA, else ./data' },
    { name: 'host', value: 'ADDRESS', summary: 'Address that the server listens on' },
    { name: 'port', value: 'PORT', summary: 'Port that the server listens on' },
    { name: 'store', value: 'ADDRESS', summary: 'PostgreSQL that gets all that is archived as well' },
    {
      name: 'site',
      value: 'NAME',
      summary: 'The site in the store; default: that of the data folder, or of the machine',
    },
    { name: 'bus', value: 'ADDRESS', summary: 'NATS over which the server works together with others' },
    { name: 'bus-role', value: 'ROLE', values: ['site', 'centre'], summary: 'What it is there' },
    { name: 'lease', value: 'ADDRESS', summary: 'etcd that says which node of the site leads' },
    { name: 'lease-password-file', value: 'FILE', summary: 'File with the password of the user of etcd' },
    { name: 'lease-ttl', value: 'DURATION', summary: 'How long a node that does not answer leads on' },
  ],
  details:
    'Run it on the machine of the server, as its user, whether the server runs or not. It reads, and changes nothing: what it ' +
    'writes to a store or to etcd it takes back. Settings ' +
    'are those of the environment, and of an enrolment, as the server takes them. Exit code 1 means that something is wrong.',
  examples: ['telltale doctor --data /var/lib/telltale'],
  run: async (call) => {
    const findings = await examine(call);
    const wrong = findings.filter(({ level }) => level === 'wrong').length;
    if (call.terminal.isJson) await call.terminal.json({ ok: wrong === 0, wrong, findings });
    else await print(call, findings);
    if (wrong > 0) throw new Refused(wrong === 1 ? '1 thing is wrong.' : `${wrong} things are wrong.`);
  },
};

async function examine({ options, signal }: Call): Promise<DoctorFinding[]> {
  const args = settings.flatMap((name) => {
    const value = options.get(name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  return JSON.parse(await askServerProgram('doctor', ['doctor', ...args], signal)) as DoctorFinding[];
}

const styles: Record<DoctorFinding['level'], Style> = { ok: 'green', note: 'yellow', wrong: 'red' };

async function print({ terminal }: Call, findings: readonly DoctorFinding[]): Promise<void> {
  for (const { check, level, text, fix } of findings) {
    await terminal.line(
      { text: level.padEnd(7), style: styles[level] },
      { text: check.padEnd(14), style: 'bold' },
      text,
    );
    if (fix !== null) await terminal.line(`${' '.repeat(21)}→ ${fix}`);
  }
}
