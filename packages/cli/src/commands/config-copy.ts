// `telltale config copy`: an object, or a connector with its points and their alarms, under new names and addresses.
import { type CopyRequest, type CopyRule, type Family, familyNames } from '@telltale/schema';
import type { CommandDeclaration } from '../declaration.ts';
import { readPair } from '../read-pair.ts';
import { changeOptions, outcomeOf, renderingOf } from '../render-options.ts';

export const configCopy: CommandDeclaration = {
  path: ['config', 'copy'],
  summary: 'Copy an object, or a connector with its points and their alarms, under new names, all or nothing',
  arguments: [
    { name: 'FAMILY', values: familyNames },
    { name: 'NAME', names: 'the family before it' },
    { name: 'NEW_NAME' },
    { name: 'FIELD=VALUE', optional: true },
  ],
  repeatsFrom: 3,
  options: [
    { name: 'rename', value: 'FROM=TO,…', summary: "Of a connector's points and alarms: such as 'skid1_*=skid2_*'" },
    { name: 'addresses', value: 'FROM=TO,…', summary: "Of a connector's points: such as '1/*=2/*'; others stay" },
    ...changeOptions,
  ],
  details:
    "Without --rename, names that begin with the connector's begin with the new one. FIELD=VALUE sets fields of the copy " +
    'itself, such as vars.host=10.0.0.2; FIELD= unsets them. References among the copied follow. Other fields, ' +
    'such as area, are those of the original: config set changes them. History is not copied.',
  examples: [
    'telltale config copy measurements tank1_level tank3_level address=tank3.level',
    "telltale config copy connectors plc plc2 --rename 'skid1_*=skid2_*' vars.host=10.0.0.2",
    "telltale config set measurements 'skid2_*' area=works.skid2",
  ],
  run: async (call) => {
    const { client, terminal, args, options, signal } = call;
    const [family = '', name = '', to = '', ...fields] = args;
    const set = fields.map((text) => readPair(text, 'FIELD=VALUE, such as vars.host=10.0.0.2'));
    const [names, addresses] = [readRules(options.get('rename')), readRules(options.get('addresses'))];
    const request: CopyRequest = {
      family: family as Family,
      name,
      to,
      ...(set.length > 0 && { set: Object.fromEntries(set) }),
      ...(names && { names }),
      ...(addresses && { addresses }),
    };
    const { dryRun, isRunning } = outcomeOf(call);
    const { copied } = await client.configuration.copy(request, { dryRun, ...renderingOf(call), signal });
    if (terminal.isJson) {
      await terminal.json({ copied, 'dry-run': dryRun, rendered: isRunning });
      return;
    }
    for (const { family, from, to, omitted = [] } of copied) {
      const without = omitted.length > 0 ? `  without ${omitted.join(', ')}` : '';
      await terminal.line(
        { text: `+ ${family}/${to}`, style: 'green' },
        { text: `  from ${from}${without}`, style: 'dim' },
      );
    }
    const count = `${copied.length} ${copied.length === 1 ? 'object' : 'objects'}`;
    const hint = isRunning ? 'They run.' : 'They run after: telltale config render';
    await terminal.line(dryRun ? `It would work: ${count}.` : `Copied ${count}. ${hint}`);
  },
};

function readRules(text: string | undefined): CopyRule[] | undefined {
  return text?.split(',').map((rule) => {
    const [from, to] = readPair(rule, "FROM=TO, such as 'skid1_*=skid2_*'", middleEquals(rule));
    return { from, to };
  });
}

/** Addresses may have equals signs of their own, as many on both sides: `ns=2;s=a*=ns=2;s=b*`. */
function middleEquals(rule: string): number {
  const places = [...rule.matchAll(/=/g)].map(({ index }) => index);
  return places.length % 2 === 1 ? (places[places.length >> 1] ?? -1) : -1;
}
