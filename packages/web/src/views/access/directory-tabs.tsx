// What gives rights to people and programs that are no users here: groups of directories, and certificates of clients.
import { useSignal } from '@preact/signals';
import type { ClientCertificate, Grant, Group } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { words } from '../../words/words.ts';
import { Accounts } from './accounts.tsx';
import { EditDialog, TextField } from './edit-dialog.tsx';
import { GrantList, GrantsField } from './grants-field.tsx';

const readGroups = async (signal: AbortSignal) => Object.values(await access.groups.list({ signal }));
const readCertificates = async (signal: AbortSignal) => Object.values(await access.clientCertificates.list({ signal }));

export function GroupsTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<Group>
      title={texts.tabs.groups}
      why={texts.groupsWhy}
      read={readGroups}
      keyOf={({ name }) => name}
      empty={texts.none}
      add={texts.addGroup}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: texts.directory, cell: ({ directory }) => texts.directories[directory] },
        { title: texts.group, cell: ({ group }) => <bdi>{group}</bdi> },
        { title: texts.grants, cell: ({ grants }) => <GrantList grants={grants} /> },
      ]}
      editor={(group, done, close) => <GroupDialog group={group} onDone={done} onClose={close} />}
      remove={{
        word: common.delete,
        ask: ({ name }) => texts.deleteGroup(name),
        run: ({ name }) => access.groups.delete(name),
      }}
    />
  );
}

interface DialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function GroupDialog({ group, ...ends }: DialogProps & { readonly group: Group | undefined }) {
  const { access: texts, common } = words.value;
  const name = useSignal(group?.name ?? '');
  const directory = useSignal(group?.directory ?? 'ldap');
  const text = useSignal(group?.group ?? '');
  const grants = useSignal<readonly Grant[]>(group?.grants ?? [{ role: 'viewer' }]);
  const save = () =>
    access.groups.put(name.value, { directory: directory.value, group: text.value, grants: [...grants.value] });
  return (
    <EditDialog title={group?.name ?? texts.addGroup} save={save} {...ends}>
      <TextField
        label={common.name}
        value={name.value}
        onText={(given) => (name.value = given)}
        isRequired
        isFixed={group !== undefined}
      />
      <label>
        <span>{texts.directory}</span>
        <select
          value={directory.value}
          onChange={({ currentTarget }) => (directory.value = currentTarget.value === 'oidc' ? 'oidc' : 'ldap')}
        >
          <option value="ldap">{texts.directories.ldap}</option>
          <option value="oidc">{texts.directories.oidc}</option>
        </select>
      </label>
      <TextField
        label={texts.group}
        value={text.value}
        onText={(given) => (text.value = given)}
        hint={texts.groupHint}
        isRequired
        maxLength={1024}
      />
      <GrantsField grants={grants.value} onGrants={(given) => (grants.value = given)} />
    </EditDialog>
  );
}

export function CertificatesTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<ClientCertificate>
      title={texts.tabs.certificates}
      why={texts.certificatesWhy}
      read={readCertificates}
      keyOf={({ name }) => name}
      empty={texts.none}
      add={texts.addCertificate}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: texts.subject, cell: ({ subject }) => <bdi>{subject}</bdi> },
        { title: texts.fingerprint, cell: ({ fingerprint }) => <code>{fingerprint}</code> },
        { title: texts.grants, cell: ({ grants }) => <GrantList grants={grants} /> },
      ]}
      editor={(item, done, close) => <CertificateDialog item={item} onDone={done} onClose={close} />}
      remove={{
        word: common.delete,
        ask: ({ name }) => texts.deleteCertificate(name),
        run: ({ name }) => access.clientCertificates.delete(name),
      }}
    />
  );
}

function CertificateDialog({ item, ...ends }: DialogProps & { readonly item: ClientCertificate | undefined }) {
  const { access: texts, common } = words.value;
  const name = useSignal(item?.name ?? '');
  const subject = useSignal(item?.subject ?? '');
  const fingerprint = useSignal(item?.fingerprint ?? '');
  const grants = useSignal<readonly Grant[]>(item?.grants ?? [{ role: 'viewer' }]);
  const save = () =>
    access.clientCertificates.put(name.value, {
      grants: [...grants.value],
      ...(subject.value !== '' && { subject: subject.value }),
      ...(fingerprint.value !== '' && { fingerprint: fingerprint.value.trim() }),
    });
  return (
    <EditDialog title={item?.name ?? texts.addCertificate} save={save} {...ends}>
      <TextField
        label={common.name}
        value={name.value}
        onText={(given) => (name.value = given)}
        isRequired
        isFixed={item !== undefined}
      />
      <TextField label={texts.fingerprint} value={fingerprint.value} onText={(given) => (fingerprint.value = given)} />
      <TextField
        label={texts.subject}
        value={subject.value}
        onText={(given) => (subject.value = given)}
        maxLength={512}
      />
      <GrantsField grants={grants.value} onGrants={(given) => (grants.value = given)} />
    </EditDialog>
  );
}
