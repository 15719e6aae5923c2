// Users: who there is, what they may do, and since when they were not here.
import { useSignal } from '@preact/signals';
import type { Grant, User } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { Flag, TextField } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { Accounts, Confirm, type Ends } from './accounts.tsx';
import { GrantList, GrantsField } from './grants-field.tsx';

export function UsersTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<User>
      title={texts.tabs.users}
      why={texts.usersWhy}
      read={(signal) => access.users.list({ signal })}
      keyOf={({ name }) => name}
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
      editor={(user, ends) => <UserDialog user={user} {...ends} />}
      more={(user, again) => <UserActions user={user} again={again} />}
      remove={{
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
      {asked.value === 'password' && <PasswordDialog name={user.name} onDone={again} onClose={close} />}
      {asked.value === 'factors' && (
        <Confirm
          title={texts.removeFactorsOf(user.name)}
          action={texts.removeFactors}
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

function UserDialog({ user, ...ends }: Ends & { readonly user: User | undefined }) {
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
    <FormDialog title={user?.name ?? texts.addUser} action={common.save} run={save} {...ends}>
      <TextField
        label={common.name}
        text={name}
        hint={texts.nameHint}
        isRequired
        isFixed={user !== undefined}
        maxLength={64}
      />
      <TextField label={texts.displayName} text={displayName} maxLength={128} />
      <GrantsField grants={grants} />
      {user === undefined && (
        <TextField
          label={texts.firstPassword}
          type="password"
          autocomplete="new-password"
          text={password}
          hint={texts.passwordHint}
        />
      )}
      <Flag text={texts.disable} flag={isDisabled} />
    </FormDialog>
  );
}

function PasswordDialog({ name, ...ends }: Ends & { readonly name: string }) {
  const { access: texts, common } = words.value;
  const password = useSignal('');
  const save = async () => {
    const given = password.value;
    password.value = '';
    await access.users.setPassword(name, given);
  };
  return (
    <FormDialog title={texts.passwordOf(name)} action={common.save} run={save} {...ends}>
      <p>{texts.setPasswordWhy}</p>
      <TextField
        label={texts.newPassword}
        type="password"
        autocomplete="new-password"
        text={password}
        hint={texts.passwordHint}
        isRequired
      />
    </FormDialog>
  );
}
