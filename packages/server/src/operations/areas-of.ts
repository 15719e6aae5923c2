// The area that a live object of any kind is in.
import type { Resource } from '@telltale/schema';
import type { FunctionModules } from '../modules/index.ts';
import type { ShownFamilies } from '../pictures/index.ts';
import type { LiveData } from './data/index.ts';
import type { StackAccess } from './diagnostics/index.ts';

/** Empty: in none. Undefined where there is no such object. */
export function areasOf(
  data: Pick<LiveData, 'measurements' | 'commands' | 'alarms'>,
  stacks: Pick<StackAccess, 'areaOf'>,
  modules: Pick<FunctionModules, 'areaOf'>,
  shown: ShownFamilies,
): (resource: Resource, name: string) => string | undefined {
  return (resource, name) => {
    switch (resource) {
      case 'measurements':
      case 'commands':
      case 'alarms': {
        const definition = data[resource].definitionAt(data[resource].find(name));
        return definition && (definition.area ?? '');
      }
      case 'connectors':
        return stacks.areaOf('connector', name);
      case 'providers':
        return stacks.areaOf('provider', name);
      case 'function-modules':
        return modules.areaOf(name);
      case 'pictures':
      case 'trends':
        return shown[resource].areaOf(name);
      default:
        return undefined;
    }
  };
}
