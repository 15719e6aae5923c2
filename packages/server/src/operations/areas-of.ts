// The area that a live object of any kind is in.
import type { Resource } from '@telltale/schema';
import type { FunctionModules } from '../modules/index.ts';
import type { ShownFamilies } from '../pictures/index.ts';
import type { LiveData } from './data/index.ts';
import type { StackAccess } from './diagnostics/index.ts';

type LiveObjects = Pick<LiveData, 'measurements' | 'commands' | 'alarms'>;

/** Of the points and alarms of a site that a centre mirrors. */
export function areasAt(data: LiveObjects): (resource: Resource, name: string) => string | undefined {
  return (resource, name) => {
    if (resource !== 'measurements' && resource !== 'commands' && resource !== 'alarms') return undefined;
    const definition = data[resource].definitionAt(data[resource].find(name));
    return definition && (definition.area ?? '');
  };
}

/** Empty: in none. Undefined where there is no such object. */
export function areasOf(
  data: LiveObjects,
  stacks: Pick<StackAccess, 'areaOf'>,
  modules: Pick<FunctionModules, 'areaOf'>,
  shown: ShownFamilies,
): (resource: Resource, name: string) => string | undefined {
  const areaAt = areasAt(data);
  return (resource, name) => {
    switch (resource) {
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
        return areaAt(resource, name);
    }
  };
}
