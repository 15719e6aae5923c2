// Roles: what each permits, in the words of the permissions.
import { useSignal } from '@preact/signals';
import type { Role } from '@telltale/schema';
import { type Permission, permissionNames } from '@telltale/schema/values';
import { access } from '../../data/access.ts';
import { words } from '../../words/words.ts';
import { Accounts } from './accounts.tsx';
import { EditDialog, TextField } from './edit-dialog.tsx';

const read = async (signal: AbortSignal) => Object.values(await access.roles.list({ signal }));

export function RolesTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<Role>
      title={texts.tabs.roles}
      why={texts.rolesWhy}
      read={read}
      keyOf={({ name }) => name}
      empty={texts.none}
      add={texts.addRole}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: common.description, cell: ({ description }) => <bdi>{description}</bdi> },
        {
          title: texts.permissionsTitle,
          cell: ({ permissions }) => (
            <details>
              <summary>{texts.permissionCount(permissions.length, permissionNames.length)}</summary>
              <ul class="access-grants">
                {permissions.map((each) => (
                  <li key={each}>{texts.permissions[each]}</li>
                ))}
              </ul>
            </details>
          ),
        },
        {
          title: texts.sessionRules,
          cell: ({ idle, session, secondFactor }) => texts.sessionText(idle, session, secondFactor === true),
        },
      ]}
      editor={(role, done, close) => <RoleDialog role={role} onDone={done} onClose={close} />}
      remove={{
        word: common.delete,
        ask: ({ name }) => texts.deleteRole(name),
        run: ({ name }) => access.roles.delete(name),
      }}
    />
  );
}

interface RoleDialogProps {
  readonly role: Role | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function RoleDialog({ role, onDone, onClose }: RoleDialogProps) {
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
    <EditDialog title={role === undefined ? texts.addRole : role.name} save={save} onDone={onDone} onClose={onClose}>
      <TextField
        label={common.name}
        value={name.value}
        onText={(text) => (name.value = text)}
        isRequired
        isFixed={role !== undefined}
        maxLength={64}
      />
      <TextField label={common.description} value={description.value} onText={(text) => (description.value = text)} />
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
      <TextField label={texts.idle} type="number" value={idle.value} onText={(text) => (idle.value = text)} />
      <TextField
        label={texts.sessionHours}
        type="number"
        value={session.value}
        onText={(text) => (session.value = text)}
      />
      <label class="row">
        <input
          type="checkbox"
          checked={isStrict.value}
          onChange={({ currentTarget }) => (isStrict.value = currentTarget.checked)}
        />
        {texts.demandsFactor}
      </label>
    </EditDialog>
  );
}
