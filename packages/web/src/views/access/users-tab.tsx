// Users: who there is, what they may do, and since when they were not here.
import { useSignal } from '@preact/signals';
import type { Grant, User } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { Accounts, Confirm } from './accounts.tsx';
import { EditDialog, TextField } from './edit-dialog.tsx';
import { GrantList, GrantsField } from './grants-field.tsx';

export const readUsers = async (signal: AbortSignal) => Object.values(await access.users.list({ signal }));

export function UsersTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<User>
      title={texts.tabs.users}
      why={texts.usersWhy}
      read={readUsers}
      keyOf={({ name }) => name}
      empty={texts.none}
      add={texts.addUser}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: texts.displayName, cell: ({ displayName }) => <bdi>{displayName}</bdi> },
        { title: texts.grants, cell: ({ grants }) => <GrantList grants={grants} /> },
        { title: common.state, cell: (user) => <UserState user={user} /> },
        {
          title: texts.lastSignIn,
          cell: ({ lastSignIn }) => (lastSignIn === undefined ? texts.never : momentText(lastSignIn * 1e6)),
        },
      ]}
      editor={(user, done, close) => <UserDialog user={user} onDone={done} onClose={close} />}
      more={(user, again) => <UserActions user={user} again={again} />}
      remove={{
        word: common.delete,
        ask: ({ name }) => texts.deleteUser(name),
        run: ({ name }) => access.users.delete(name),
      }}
    />
  );
}

function UserState({ user }: { readonly user: User }) {
  const { access: texts } = words.value;
  const { disabled, origin, hasPassword, hasSecondFactor, groups = [] } = user;
  const words_ = [
    disabled === true && `✕ ${texts.disabled}`,
    origin !== 'local' && texts.from(origin),
    origin === 'local' && !hasPassword && texts.noPassword,
    hasSecondFactor && texts.hasSecondFactor,
    ...groups,
  ].filter((each) => each !== false);
  return <bdi>{words_.join(', ')}</bdi>;
}

function UserActions({ user, again }: { readonly user: User; readonly again: () => void }) {
  const { access: texts } = words.value;
  const asked = useSignal<'password' | 'factors' | undefined>(undefined);
  const close = () => (asked.value = undefined);
  const done = () => {
    close();
    again();
  };
  return (
    <>
      {user.origin === 'local' && (
        <button type="button" onClick={() => (asked.value = 'password')}>
          {texts.setPassword}
        </button>
      )}
      {user.hasSecondFactor && (
        <button type="button" onClick={() => (asked.value = 'factors')}>
          {texts.removeFactors}
        </button>
      )}
      {asked.value === 'password' && <PasswordDialog name={user.name} onDone={done} onClose={close} />}
      {asked.value === 'factors' && (
        <Confirm
          title={texts.removeFactorsOf(user.name)}
          word={texts.removeFactors}
          run={() => access.users.removeSecondFactors(user.name)}
          onDone={again}
          onClose={close}
        >
          <p>{texts.removeFactorsWhy}</p>
        </Confirm>
      )}
    </>
  );
}

interface UserDialogProps {
  readonly user: User | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function UserDialog({ user, onDone, onClose }: UserDialogProps) {
  const { access: texts, common } = words.value;
  const name = useSignal(user?.name ?? '');
  const displayName = useSignal(user?.displayName ?? '');
  const grants = useSignal<readonly Grant[]>(user?.grants ?? [{ role: 'viewer' }]);
  const isDisabled = useSignal(user?.disabled === true);
  const password = useSignal('');
  const save = async () => {
    await access.users.put(name.value, {
      grants: [...grants.value],
      ...(displayName.value !== '' && { displayName: displayName.value }),
      ...(isDisabled.value && { disabled: true }),
    });
    const given = password.value;
    password.value = '';
    if (given !== '') await access.users.setPassword(name.value, given);
  };
  return (
    <EditDialog title={user === undefined ? texts.addUser : user.name} save={save} onDone={onDone} onClose={onClose}>
      <TextField
        label={common.name}
        value={name.value}
        onText={(text) => (name.value = text)}
        hint={texts.nameHint}
        isRequired
        isFixed={user !== undefined}
        maxLength={64}
      />
      <TextField
        label={texts.displayName}
        value={displayName.value}
        onText={(text) => (displayName.value = text)}
        maxLength={128}
      />
      <GrantsField grants={grants.value} onGrants={(given) => (grants.value = given)} />
      {user === undefined && (
        <TextField
          label={texts.firstPassword}
          type="password"
          autocomplete="new-password"
          value={password.value}
          onText={(text) => (password.value = text)}
          hint={texts.passwordHint}
        />
      )}
      <label class="row">
        <input
          type="checkbox"
          checked={isDisabled.value}
          onChange={({ currentTarget }) => (isDisabled.value = currentTarget.checked)}
        />
        {texts.disable}
      </label>
    </EditDialog>
  );
}

interface PasswordDialogProps {
  readonly name: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function PasswordDialog({ name, onDone, onClose }: PasswordDialogProps) {
  const { access: texts } = words.value;
  const password = useSignal('');
  const save = async () => {
    const given = password.value;
    password.value = '';
    await access.users.setPassword(name, given);
  };
  return (
    <EditDialog title={texts.passwordOf(name)} save={save} onDone={onDone} onClose={onClose}>
      <p>{texts.setPasswordWhy}</p>
      <TextField
        label={texts.newPassword}
        type="password"
        autocomplete="new-password"
        value={password.value}
        onText={(text) => (password.value = text)}
        hint={texts.passwordHint}
        isRequired
      />
    </EditDialog>
  );
}
