// Function modules: the list of them, or one of them.
import type { ViewProps } from '../../routes.ts';
import { ModuleList } from './module-list.tsx';
import { ModuleView } from './module-view.tsx';

export default function ModulesView({ parameters: { name } }: ViewProps) {
  return name === undefined ? <ModuleList /> : <ModuleView key={name} name={name} />;
}
