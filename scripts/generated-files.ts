// What docs/generated/, the client's table of operations and the generated sections of the stacks' README files should hold,
// made from the schemas, the catalogue of operations, the settings and the stacks themselves.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as schema from '@telltale/schema';
import { documentStack, markdownTable } from '@telltale/stack-kit';
import type { TObject, TSchema } from 'typebox';
import packageJson from '../packages/server/package.json' with { type: 'json' };
import { openApiDocument } from '../packages/server/src/api/index.ts';
import { settingLines } from '../packages/server/src/read-settings.ts';
import { discoverStacks } from '../packages/server/src/stacks/index.ts';
import { channelPage } from './channel-page.ts';
import { operationForms } from './operation-forms.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const note = '<!-- Made by `npm run generate`; do not edit. -->';

/** From path, relative to the repository, to the whole text of the file. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const files = new Map([
    ['docs/generated/channel.md', page('The channel', ...channelPage())],
    ['docs/generated/openapi.json', `${JSON.stringify(openApiDocument({ version: packageJson.version }), null, 2)}\n`],
    ['docs/generated/operations.md', operationsPage()],
    ['docs/generated/problems.md', problemsPage()],
    ['docs/generated/resources.md', resourcesPage()],
    ['docs/generated/roles.md', rolesPage()],
    ['docs/generated/settings.md', settingsPage()],
    ['packages/client/src/operation-forms.ts', operationForms()],
  ]);
  const { stacks, faults } = await discoverStacks(`${root}stacks`);
  if (faults.length > 0) throw new Error(`${faults[0]?.folder}: ${faults[0]?.message}`);
  for (const { stack } of stacks) {
    const path = `stacks/${stack.name}/README.md`;
    files.set(path, withSection(path, documentStack(stack)));
  }
  return files;
}

/** The file as it is on disk, or undefined where there is none. */
export function presentFile(path: string): string | undefined {
  return existsSync(root + path) ? readFileSync(root + path, 'utf8') : undefined;
}

function withSection(path: string, section: string): string {
  const [before, rest] = (presentFile(path) ?? '').split(/(?<=<!-- generated: [^\n]*-->)\n/);
  const after = rest?.split(/\n(?=<!-- \/generated -->)/).at(-1);
  if (before === undefined || after === undefined) throw new Error(`${path} has no generated section`);
  return `${before}\n\n${section}\n\n${after}`;
}

function operationsPage(): string {
  const rows = schema.operationNames.map((name) => {
    const { effect, permission, audited, http, channel = [] } = schema.declarationOf(name);
    return [
      `\`${name}\``,
      `${effect.action} ${effect.resource}`,
      http === undefined ? '' : `\`${http.method} ${http.path}\``,
      channel.map(({ request }) => `\`${request}\``).join(', '),
      permission,
      audited ? 'yes' : '',
    ];
  });
  return page(
    'Operations',
    'Every operation, what it does to which kind of object, how it is asked for, and the permission that it needs: `public` is open ' +
      'to everybody, `signed-in` to everybody who is known. `GET /data/operations` gives the same with schemas, for programs.',
    markdownTable(['Operation', 'Effect', 'HTTP', 'Channel', 'Permission', 'Audited'], rows),
  );
}

/** Whoever loosens a permission finds it in the difference of this page. */
function rolesPage(): string {
  const may = (permission: schema.Needed, role: schema.Role) =>
    permission === 'signed-in' || (role.permissions as readonly string[]).includes(permission);
  const rows = schema.operationNames.map((name) => {
    const { permission } = schema.declarationOf(name);
    const cells = schema.initialRoles.map((role) => (permission === 'public' || may(permission, role) ? 'yes' : ''));
    return [`\`${name}\``, permission, ...cells];
  });
  return page(
    'Roles',
    'Every operation, the permission that it needs, and which of the roles that come along have it. People may change roles, and ' +
      'add others. A grant may hold for a part of the plant only; what a change of the configuration needs beyond this depends ' +
      'on its difference.',
    markdownTable(['Operation', 'Permission', ...schema.initialRoles.map(({ name }) => name)], rows),
  );
}

function problemsPage(): string {
  const rows = Object.entries(schema.problems).map(([name, { status, title, remedy }]) => [
    `<a id="${name}"></a>\`${name}\``,
    String(status),
    title,
    remedy,
  ]);
  return page(
    'Problems',
    'Every error body is `application/problem+json`; its `type` ends in the name of the problem.',
    markdownTable(['Name', 'Status', 'Title', 'What to do'], rows),
  );
}

function settingsPage(): string {
  const rows = settingLines().map(({ option, variable, default: value, description }) => [
    `\`${option}\``,
    `\`${variable}\``,
    value === '' ? '' : `\`${value}\``,
    description,
  ]);
  return page(
    'Settings',
    'On the command line after `npm start --`, or in the environment. The command line wins. What an enrolment has left in the data folder ' +
      '(`bus.json`: `bus`, `bus-role`, `bus-ca`, `bus-cert`, `bus-key`, `site`) counts where neither says anything.',
    markdownTable(['Option', 'Environment', 'Default', 'Meaning'], rows),
  );
}

function resourcesPage(): string {
  const configured = Object.entries(schema.families).map(([family, type]) => resource(type, `\`/${family}\`: `));
  const others = [schema.Stack, schema.ExecutableStat, schema.RenderStatus, schema.RevisionSummary, schema.Change];
  const live = [schema.LiveMeasurement, schema.LiveCommand, schema.LiveAlarm, schema.AlarmRecord, schema.ArchiveStats];
  const diagnostics = [
    schema.LiveConnector,
    schema.LiveProvider,
    schema.DeviceStatus,
    schema.ForwardingStatus,
    schema.ScanGroupStatus,
    schema.Explanation,
    schema.ReadingExplained,
    schema.StageExplained,
    schema.CommandExplanation,
    schema.CommandWrite,
    schema.BrowsedItem,
    schema.MeasurementOffer,
  ];
  return page(
    'Resources',
    'The fields of every resource, in the order in which they are stored and shown.',
    '## Configuration interface, version 2',
    ...configured,
    ...others.map((type) => resource(type)),
    '## Data-access interface, version 1',
    ...[...live, ...diagnostics].map((type) => resource(type)),
  );
}

function resource(type: TObject, prefix = ''): string {
  const rows = Object.entries<TSchema & { description?: string }>(type.properties).map(([field, fieldType]) => [
    `\`${field}\``,
    typeInWords(fieldType),
    type.required?.includes(field) ? 'yes' : '',
    fieldType.description ?? '',
  ]);
  return `### ${prefix}${schema.titleOf(type)}\n\n${markdownTable(['Field', 'Type', 'Required', 'Meaning'], rows)}`;
}

type Described = TSchema & {
  type?: string;
  enum?: string[];
  minimum?: number;
  title?: string;
  anyOf?: Described[];
};

function typeInWords(type: Described): string {
  if (type.anyOf !== undefined) return type.anyOf.map((each) => each.title ?? typeInWords(each)).join(' or ');
  if (type.enum !== undefined) return type.enum.map((word) => `\`${word}\``).join(', ');
  if (type.type === 'object' && 'patternProperties' in type) return 'map of text to text';
  return `${type.type ?? 'any'}${type.minimum === undefined ? '' : ` ≥ ${type.minimum}`}`;
}

function page(title: string, ...parts: string[]): string {
  return [`# ${title}`, note, ...parts].join('\n\n').concat('\n');
}
