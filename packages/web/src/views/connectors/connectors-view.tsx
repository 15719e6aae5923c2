// Connectors and providers: the list of them, or one of them.
import { queryOf } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { LinkList } from './link-list.tsx';
import { LinkView } from './link-view.tsx';

const roleText = queryOf('role');

export default function ConnectorsView({ parameters: { name } }: ViewProps) {
  if (name === undefined) return <LinkList />;
  const role = roleText.value === 'provider' ? 'provider' : 'connector';
  return <LinkView key={`${role} ${name}`} role={role} name={name} />;
}
