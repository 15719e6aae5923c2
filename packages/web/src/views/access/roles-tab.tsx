// Roles: what each permits, in the words of the permissions.
import { useSignal } from '@preact/signals';
import type { Role } from '@telltale/schema';
import { type Permission, permissionNames } from '@telltale/schema/values';
import { access } from '../../data/access.ts';
import { Flag, TextField } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { words } from '../../words/words.ts';
import { Accounts, type Ends } from './accounts.tsx';
import { PermissionList } from './grants-field.tsx';

export function RolesTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<Role>
      title={texts.tabs.roles}
      why={texts.rolesWhy}
      read={(signal) => access.roles.list({ signal })}
      keyOf={({ name }) => name}
      add={texts.addRole}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: common.description, cell: ({ description }) => <bdi>{description}</bdi> },
        {
          title: texts.permissionsTitle,
          cell: ({ permissions }) => (
            <details>
              <summary>{texts.permissionCount(permissions.length, permissionNames.length)}</summary>
              <PermissionList permissions={permissions} />
            </details>
          ),
        },
        {
          title: texts.sessionRules,
          cell: ({ idle, session, secondFactor }) => texts.sessionText(idle, session, secondFactor === true),
        },
      ]}
      editor={(role, ends) => <RoleDialog role={role} {...ends} />}
      remove={{
        ask: ({ name }) => texts.deleteRole(name),
        run: ({ name }) => access.roles.delete(name),
      }}
    />
  );
}

function RoleDialog({ role, ...ends }: Ends & { readonly role: Role | undefined }) {
  const { access: texts, common } = words.value;
  const name = useSignal(role?.name ?? '');
  const description = useSignal(role?.description ?? '');
  const chosen = useSignal<ReadonlySet<Permission>>(new Set(role?.permissions ?? ['view']));
  const idle = useSignal(String(role?.idle ?? ''));
  const session = useSignal(String(role?.session ?? ''));
  const isStrict = useSignal(role?.secondFactor === true);
  const save = () =>
    access.roles.put(name.value, {
      permissions: permissionNames.filter((each) => chosen.value.has(each)),
      ...(description.value !== '' && { description: description.value }),
      ...(idle.value !== '' && { idle: Number(idle.value) }),
      ...(session.value !== '' && { session: Number(session.value) }),
      ...(isStrict.value && { secondFactor: true }),
    });
  const toggle = (permission: Permission) => {
    const next = new Set(chosen.value);
    if (!next.delete(permission)) next.add(permission);
    chosen.value = next;
  };
  return (
    <FormDialog title={role?.name ?? texts.addRole} action={common.save} run={save} {...ends}>
      <TextField label={common.name} text={name} isRequired isFixed={role !== undefined} maxLength={64} />
      <TextField label={common.description} text={description} />
      <fieldset class="access-permissions">
        <legend>{texts.permissionsTitle}</legend>
        {permissionNames.map((permission) => (
          <label key={permission}>
            <input type="checkbox" checked={chosen.value.has(permission)} onChange={() => toggle(permission)} />
            <span>
              <b>{permission}</b> {texts.permissions[permission]}
            </span>
          </label>
        ))}
      </fieldset>
      <TextField label={texts.idle} type="number" text={idle} />
      <TextField label={texts.sessionHours} type="number" text={session} />
      <Flag text={texts.demandsFactor} flag={isStrict} />
    </FormDialog>
  );
}
