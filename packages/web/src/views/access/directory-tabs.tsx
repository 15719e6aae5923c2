// What gives rights to people and programs that are no users here: groups of directories, and certificates of clients.
import { useSignal } from '@preact/signals';
import type { ClientCertificate, Grant, Group } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { TextField } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { words } from '../../words/words.ts';
import { Accounts, type Ends } from './accounts.tsx';
import { GrantList, GrantsField } from './grants-field.tsx';

export function GroupsTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<Group>
      title={texts.tabs.groups}
      why={texts.groupsWhy}
      read={(signal) => access.groups.list({ signal })}
      keyOf={({ name }) => name}
      add={texts.addGroup}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: texts.directory, cell: ({ directory }) => texts.directories[directory] },
        { title: texts.group, cell: ({ group }) => <bdi>{group}</bdi> },
        { title: texts.grants, cell: ({ grants }) => <GrantList grants={grants} /> },
      ]}
      editor={(group, ends) => <GroupDialog group={group} {...ends} />}
      remove={{
        ask: ({ name }) => texts.deleteGroup(name),
        run: ({ name }) => access.groups.delete(name),
      }}
    />
  );
}

function GroupDialog({ group, ...ends }: Ends & { readonly group: Group | undefined }) {
  const { access: texts, common } = words.value;
  const name = useSignal(group?.name ?? '');
  const directory = useSignal(group?.directory ?? 'ldap');
  const text = useSignal(group?.group ?? '');
  const grants = useSignal<readonly Grant[]>(group?.grants ?? [{ role: 'viewer' }]);
  const save = () =>
    access.groups.put(name.value, { directory: directory.value, group: text.value, grants: [...grants.value] });
  return (
    <FormDialog title={group?.name ?? texts.addGroup} action={common.save} run={save} {...ends}>
      <TextField label={common.name} text={name} isRequired isFixed={group !== undefined} />
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
      <TextField label={texts.group} text={text} hint={texts.groupHint} isRequired maxLength={1024} />
      <GrantsField grants={grants} />
    </FormDialog>
  );
}

export function CertificatesTab() {
  const { access: texts, common } = words.value;
  return (
    <Accounts<ClientCertificate>
      title={texts.tabs.certificates}
      why={texts.certificatesWhy}
      read={(signal) => access.clientCertificates.list({ signal })}
      keyOf={({ name }) => name}
      add={texts.addCertificate}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: texts.subject, cell: ({ subject }) => <bdi>{subject}</bdi> },
        { title: texts.fingerprint, cell: ({ fingerprint }) => <code>{fingerprint}</code> },
        { title: texts.grants, cell: ({ grants }) => <GrantList grants={grants} /> },
      ]}
      editor={(item, ends) => <CertificateDialog item={item} {...ends} />}
      remove={{
        ask: ({ name }) => texts.deleteCertificate(name),
        run: ({ name }) => access.clientCertificates.delete(name),
      }}
    />
  );
}

function CertificateDialog({ item, ...ends }: Ends & { readonly item: ClientCertificate | undefined }) {
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
    <FormDialog title={item?.name ?? texts.addCertificate} action={common.save} run={save} {...ends}>
      <TextField label={common.name} text={name} isRequired isFixed={item !== undefined} />
      <TextField label={texts.fingerprint} text={fingerprint} />
      <TextField label={texts.subject} text={subject} maxLength={512} />
      <GrantsField grants={grants} />
    </FormDialog>
  );
}
