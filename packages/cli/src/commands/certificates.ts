// `telltale certificates`: which certificates connectors and providers have, and whom they trust.
import { type Certificate, certificateStates, expiryNoticeDays, operations, shortThumbprint } from '@telltale/schema';
import { type Call, type CommandDeclaration, type OptionDeclaration, Refused, UsageError } from '../declaration.ts';
import type { Cell, Style, Terminal } from '../terminal.ts';
import { timeText } from '../words.ts';

const headings = ['STATE', 'OF', 'USE', 'SUBJECT', 'NAMES', 'EXPIRES', 'THUMBPRINT', 'REFUSED'];

export const certificates: CommandDeclaration = {
  path: ['certificates'],
  summary: 'List the certificates of connectors and providers: own, trusted, issuers and rejected',
  arguments: [],
  options: [{ name: 'state', value: 'STATE', summary: 'Only those that are so', values: certificateStates }],
  details: 'Those of peers that nobody has trusted are rejected: telltale certificates trust THUMBPRINT.',
  examples: ['telltale certificates', 'telltale certificates --state rejected'],
  run: async ({ client, terminal, options, signal }) => {
    const state = options.get('state') as Certificate['state'] | undefined;
    const found = await client.certificates.list({ state, signal });
    if (terminal.isJson) await terminal.json(found);
    else if (found.length === 0)
      await terminal.line(`There are no ${state === undefined ? '' : `${state} `}certificates.`);
    else await terminal.table(headings, found.map(rowOf));
  },
};

export const showCertificates: CommandDeclaration = {
  path: ['certificates', 'show'],
  summary: 'Show all of a certificate: names, addresses, issuer, thumbprints, who presented it',
  arguments: [{ name: 'THUMBPRINT' }],
  options: [],
  details: 'A thumbprint is SHA-256 or SHA-1; its first digits will do.',
  examples: ['telltale certificates show 3fa9c1'],
  run: async (call) => {
    const found = await find(call, call.args[0] ?? '');
    if (call.terminal.isJson) await call.terminal.json(found);
    else for (const [at, each] of found.entries()) await show(call.terminal, each, at > 0);
  },
};

const of: OptionDeclaration = {
  name: 'of',
  value: 'ROLE/NAME',
  summary: 'Only for this one, such as connector/press',
};

interface Opcode {
  readonly operation: 'trustCertificate' | 'rejectCertificate' | 'renewCertificate' | 'deleteCertificate';
  readonly happened: string;
  /** Which certificate of a connector or provider is meant where none is named. */
  readonly fits: (certificate: Certificate) => boolean;
}

const opcodes = {
  trust: {
    operation: 'trustCertificate',
    happened: 'is trusted',
    fits: ({ state }) => state === 'rejected',
  },
  reject: {
    operation: 'rejectCertificate',
    happened: 'is not trusted any more',
    fits: ({ state, use }) => state === 'trusted' && use === 'peer',
  },
  renew: {
    operation: 'renewCertificate',
    happened: 'is replaced by a new one',
    fits: ({ use }) => use === 'application',
  },
  delete: {
    operation: 'deleteCertificate',
    happened: 'is deleted',
    fits: ({ state }) => state === 'rejected',
  },
} as const satisfies Record<string, Opcode>;

export const certificateOperationCommands = (Object.keys(opcodes) as (keyof typeof opcodes)[]).map(
  (opcode): CommandDeclaration => ({
    path: ['certificates', opcode],
    summary: operations[opcodes[opcode].operation].summary,
    arguments: [{ name: 'THUMBPRINT', optional: true }],
    repeatsFrom: 0,
    options: [of],
    details:
      'A thumbprint is SHA-256 or SHA-1; its first digits will do. Without one, the only one that --of has is meant.',
    examples: [`telltale certificates ${opcode} 3fa9c1`, `telltale certificates ${opcode} --of connector/press`],
    run: async (call) => {
      const { client, terminal, options, signal } = call;
      const owner = options.get('of');
      const done: string[] = [];
      for (const { thumbprint, subject } of await meant(call, opcodes[opcode], owner)) {
        await client.certificates.operate(thumbprint, opcode, { of: owner, signal });
        done.push(thumbprint);
        if (!terminal.isJson) {
          await terminal.line(`${shortThumbprint(thumbprint)} (${subject}) ${opcodes[opcode].happened}`);
        }
      }
      if (terminal.isJson) await terminal.json({ [opcode]: done });
    },
  }),
);

async function meant(call: Call, { fits }: Opcode, owner: string | undefined): Promise<Certificate[]> {
  const { client, args, signal } = call;
  if (args.length > 0) {
    const found = [];
    for (const arg of args) found.push((await find(call, arg))[0] ?? refuse(arg));
    return found;
  }
  if (owner === undefined) throw new UsageError('Name a THUMBPRINT, or the connector or provider with --of.');
  if (!/^(?:connector|provider)\//.test(owner))
    throw new UsageError(`--of is connector/NAME or provider/NAME, such as connector/${owner}, not ${owner}.`);
  const all = await client.certificates.list({ signal });
  const found = all.filter((each) => `${each.role}/${each.name}` === owner && fits(each));
  if (found.length === 1) return found;
  if (found.length === 0) throw new Refused(`${owner} has no such certificate: telltale certificates`);
  const some = found.map(({ thumbprint }) => shortThumbprint(thumbprint)).slice(0, 5);
  throw new Refused(`${owner} has ${found.length} of them: name one, such as ${some.join(', ')}.`);
}

/** The entries of one certificate, by the first digits of one of its thumbprints. */
async function find({ client, signal }: Call, prefix: string): Promise<Certificate[]> {
  const digits = prefix.replaceAll(/[:\s]/g, '').toLowerCase();
  const all = await client.certificates.list({ signal });
  const found = all.filter(
    ({ thumbprint, sha1 }) => digits !== '' && (thumbprint.startsWith(digits) || sha1.startsWith(digits)),
  );
  const distinct = new Set(found.map(({ thumbprint }) => thumbprint));
  if (distinct.size === 1) return found;
  if (distinct.size === 0) return refuse(prefix);
  const some = Array.from(distinct, shortThumbprint).slice(0, 5);
  throw new Refused(`${distinct.size} certificates begin with ${prefix}: ${some.join(', ')}; write more digits.`);
}

function refuse(prefix: string): never {
  throw new Refused(`There is no certificate with a thumbprint that begins with ${prefix}: telltale certificates`);
}

function rowOf(certificate: Certificate): Cell[] {
  const { state, role, name, use, subject, names, addresses, thumbprint, refused } = certificate;
  const text =
    refused === null ? '' : `${refused.count}× from ${refused.address || 'unknown'}, ${timeText(refused.last)}`;
  return [
    { text: state, style: styles[state] },
    `${role}/${name}`,
    use,
    subject,
    [...names, ...addresses].join(', '),
    expiryCell(certificate),
    shortThumbprint(thumbprint),
    text,
  ];
}

const styles: Record<Certificate['state'], Style> = {
  own: 'plain',
  trusted: 'green',
  issuer: 'plain',
  rejected: 'red',
};

function expiryCell({ 'valid-until': until, 'days-left': days }: Certificate): Cell {
  const on = timeText(until).slice(0, 10);
  if (days < 0) return { text: `${on}, expired`, style: 'red' };
  return days < expiryNoticeDays ? { text: `${on}, ${days} days left`, style: 'yellow' } : on;
}

async function show(terminal: Terminal, certificate: Certificate, isNext: boolean): Promise<void> {
  const { state, role, name, use, refused } = certificate;
  const line = (title: string, ...cells: Cell[]) =>
    terminal.line({ text: title.padEnd(15), style: 'bold' }, ' ', ...cells);
  if (isNext) await terminal.line('');
  await line('State', { text: state, style: styles[state] }, `, ${use} of ${role}/${name}`);
  await line('Subject', certificate.subject);
  await line('Issuer', certificate['self-signed'] ? 'itself' : certificate.issuer);
  await line('Names', certificate.names.join(', ') || 'none');
  await line('Addresses', certificate.addresses.join(', ') || 'none');
  await line('Valid from', timeText(certificate['valid-from']).slice(0, 19));
  await line(
    'Valid until',
    timeText(certificate['valid-until']).slice(0, 19),
    `, ${certificate['days-left']} days left`,
  );
  await line('SHA-256', certificate.thumbprint);
  await line('SHA-1', certificate.sha1);
  await line('File', certificate.file);
  if (refused === null) return;
  await line('Refused', `${refused.count} times, first ${timeText(refused.first)}, last ${timeText(refused.last)}`);
  await line('Came from', refused.address || 'unknown');
  await line('Reason', refused.reason);
}
