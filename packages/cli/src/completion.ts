// Completion for shells. Their scripts only pass the words on: completions are computed here, from the declarations
// and, for names, from the service.
import { type Family, familyNames } from '@telltale/schema';
import { type Context, contextsFile, readContexts } from './contexts.ts';
import type {
  ArgumentDeclaration,
  Call,
  CommandDeclaration,
  Named,
  NamedByAccess,
  OptionDeclaration,
} from './declaration.ts';
import { namesOf } from './known-names.ts';
import { findCommand, readWords } from './parse-command-line.ts';

interface Declared {
  readonly commands: readonly CommandDeclaration[];
  readonly globalOptions: readonly OptionDeclaration[];
}

const scripts: Readonly<Record<string, string>> = {
  bash: `# telltale completion bash > ~/.local/share/bash-completion/completions/telltale
_telltale() {
  local IFS=$'\\n'
  COMPREPLY=($(telltale completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _telltale telltale
`,
  zsh: `#compdef telltale
# telltale completion zsh > "\${fpath[1]}/_telltale"
_telltale() {
  local -a found
  found=("\${(@f)$(telltale completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[*]}" ]]; then compadd -a found; else _files; fi
}
if [[ "\${funcstack[1]}" == _telltale ]]; then _telltale "$@"; else compdef _telltale telltale; fi
`,
  fish: `# telltale completion fish > ~/.config/fish/completions/telltale.fish
complete -c telltale -a '(telltale completion words -- (commandline -opc)[2..] "$(commandline -ct)" 2>/dev/null)'
`,
  powershell: `# telltale completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName telltale -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
  telltale completion words "--last=$wordToComplete" '--' @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
};

/** `declared` is asked for late: these commands are declared as well. */
export function completionCommands(declared: () => Declared): CommandDeclaration[] {
  const shells = Object.keys(scripts);
  return [
    {
      path: ['completion'],
      summary: 'Print the completion script of a shell',
      arguments: [{ name: 'SHELL', values: shells }],
      usage: shells.join('|'),
      options: [],
      isLocal: true,
      examples: ['telltale completion bash > ~/.local/share/bash-completion/completions/telltale'],
      run: async ({ terminal, args }) => terminal.write(scripts[args[0] ?? ''] ?? ''),
    },
    {
      path: ['completion', 'words'],
      summary: 'List completions of the last word, for the scripts',
      arguments: [{ name: 'WORD', optional: true }],
      repeatsFrom: 0,
      options: [{ name: 'last', value: 'WORD', summary: 'The last word, for shells that drop an empty one' }],
      run: async (call) => {
        const found = await candidates(call, declared());
        await call.terminal.write(found.map((word) => `${word}\n`).join(''));
      },
    },
  ];
}

async function candidates(call: Call, { commands, globalOptions }: Declared): Promise<string[]> {
  const last = call.options.get('last');
  const before = last === undefined ? call.args.slice(0, -1) : call.args;
  const word = last ?? call.args.at(-1) ?? '';
  const optionsOfAll = [...globalOptions, ...commands.flatMap(({ options }) => options)];
  const open = openOption(before.at(-1), optionsOfAll);
  if (open !== undefined) return matching(await valuesOf(call, open, [], commands), word);
  const { plain, data } = readWords(before, commands, globalOptions);
  const command = findCommand(plain, commands);
  const isData = before.includes('--');
  if (word.startsWith('-') && !isData) {
    const options = [...(command?.options ?? []), ...globalOptions];
    return matching(
      options.map(({ name }) => `--${name}`),
      word,
    );
  }
  const next = isData ? [] : nextWords(plain, commands);
  const args = command === undefined ? [] : [...plain.slice(command.path.length), ...data];
  const argument = command === undefined ? undefined : argumentAt(command, args.length);
  const values = argument === undefined ? [] : await valuesOf(call, argument, args, commands);
  return matching([...next, ...values], word);
}

/** The option whose value the next word is. */
function openOption(last: string | undefined, options: readonly OptionDeclaration[]): OptionDeclaration | undefined {
  return options.find(({ name, value }) => value !== undefined && last === `--${name}`);
}

function nextWords(words: readonly string[], commands: readonly CommandDeclaration[]): string[] {
  const fits = commands.filter(
    ({ path }) => path.length > words.length && words.every((word, at) => path[at] === word),
  );
  return [...new Set(fits.map(({ path }) => path[words.length] ?? ''))];
}

function argumentAt(
  { arguments: declared, repeatsFrom }: CommandDeclaration,
  at: number,
): ArgumentDeclaration | undefined {
  if (at < declared.length || repeatsFrom === undefined) return declared[at];
  return declared[repeatsFrom + ((at - repeatsFrom) % (declared.length - repeatsFrom))];
}

async function valuesOf(
  call: Call,
  { names, values }: Pick<ArgumentDeclaration, 'names' | 'values'>,
  args: readonly string[],
  commands: readonly CommandDeclaration[],
): Promise<readonly string[]> {
  if (values !== undefined) return values;
  if (names === 'commands in all') return nextWords(args, commands);
  if (names === 'contexts') return (await contextsOf(call)).map(({ name }) => name);
  return names === undefined ? [] : namesFromService(call, names, args);
}

async function contextsOf({ environment }: Call): Promise<readonly Context[]> {
  const { contexts } = await readContexts(contextsFile(environment)).catch(() => ({ contexts: [] }));
  return contexts;
}

/** None where the service cannot be asked: a completion is no place for errors. */
async function namesFromService(call: Call, names: Named, args: readonly string[]): Promise<string[]> {
  try {
    if (names === 'revisions') return (await call.client.configuration.revisions(call)).map(({ id }) => String(id));
    if (isOfAccess(names)) return Object.keys(await call.client.access[names].list(call));
    const family = (names === 'the family before it' ? args[0] : names) as Family;
    if (!familyNames.includes(family)) return [];
    return names === family ? await namesOf(call, family) : await call.client.configuration.names(family, call);
  } catch {
    return [];
  }
}

function isOfAccess(names: Named): names is NamedByAccess {
  return names === 'users' || names === 'roles' || names === 'tokens';
}

function matching(words: readonly string[], start: string): string[] {
  return words.filter((word) => word.startsWith(start));
}
