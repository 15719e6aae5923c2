// Checks a function module before it is rendered: when it runs, the properties that mean something to the service, and its
// environment.
import { comesEver, type FunctionModule, parseRunMode, pointerPart, readModuleProperties } from '@telltale/schema';

/** What the system takes as one variable of an environment: name, =, value and the NUL at its end. */
const maxVariableBytes = 128 * 1024;
const ofService = 'TELLTALE_';

/** `field` is the field's name, or a way into it with slashes. */
export function checkModule(module: FunctionModule, report: (field: string, message: string) => void): void {
  const mode = parseRunMode(module.runMode);
  if ('fault' in mode) report('runMode', mode.fault);
  else if (mode.runMode.kind === 'cron' && !comesEver(mode.runMode.schedule)) {
    report('runMode', 'never comes: none of its months has such a day');
  }
  const properties = readModuleProperties(module.properties);
  if ('faults' in properties) {
    for (const { property, message } of properties.faults) report(`properties/${pointerPart(property)}`, message);
  }
  for (const [name, value] of Object.entries(module.env ?? {})) {
    const wrong = wrongVariable(name, value);
    if (wrong !== undefined) report(`env/${pointerPart(name)}`, wrong);
  }
}

function wrongVariable(name: string, value: string): string | undefined {
  if (name.startsWith(ofService)) return `names that begin with ${ofService} are set by the service: take another name`;
  if (name.includes('=')) return 'the name of a variable has no =: what follows it belongs into the value';
  if (name.includes('\0')) return 'the name of a variable has no NUL character';
  if (value.includes('\0')) return 'the value of a variable has no NUL character';
  if (Buffer.byteLength(name) + Buffer.byteLength(value) + 2 > maxVariableBytes) {
    return `the system takes no variable of more than ${maxVariableBytes} bytes: put it into a file`;
  }
  return undefined;
}
