// What waits for a second person: approved with a signature, rejected with a reason, or withdrawn by who has asked.
import { useSignal } from '@preact/signals';
import type { Approval } from '@telltale/schema';
import { approvals } from '../../data/access.ts';
import { identity, may } from '../../data/session.ts';
import { notify } from '../../parts/notices.tsx';
import { now } from '../../parts/now.ts';
import { ageText, momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { AccessProblem } from './access-problem.tsx';
import { EditDialog, TextField } from './edit-dialog.tsx';

const everyMs = 3000;

export function ApprovalsTab() {
  const { access: texts, common } = words.value;
  const { value, error, again } = useRead((signal) => approvals.list({ signal }), [], { everyMs });
  const asked = useSignal<{ readonly approval: Approval; readonly isApproval: boolean } | undefined>(undefined);
  const me = identity.value?.identity;
  const close = () => (asked.value = undefined);
  const done = () => {
    close();
    again();
    notify(texts.done);
  };
  return (
    <section class="panel">
      <h2>{texts.tabs.approvals}</h2>
      <p class="quiet">{texts.approvalsWhy}</p>
      {error !== undefined && <AccessProblem error={error} />}
      {value === undefined && error === undefined && <p class="quiet">{common.loading}</p>}
      {value?.length === 0 && <p>{texts.noApprovals}</p>}
      {value?.map((approval) => {
        const isOwn = approval.requester === me;
        const waits = approval.state === 'pending' && approval.id !== undefined;
        return (
          <article key={approval.id ?? approval.created} class="access-approval">
            <h3>
              {texts.operations[approval.operation] ?? approval.operation}{' '}
              <bdi>{typeof approval.input.name === 'string' ? approval.input.name : ''}</bdi>
            </h3>
            <dl class="facts">
              <Fact title={common.state} text={texts.approvalStates[approval.state]} />
              <Fact title={texts.requester} text={approval.requester} />
              <Fact title={common.reason} text={approval.reason} />
              <Fact title={texts.wanted} text={JSON.stringify(approval.input)} />
              <Fact title={texts.live} text={approval.live} />
              <Fact title={texts.requested} text={momentText(approval.created * 1e6)} />
              {waits && <Fact title={texts.timeLeft} text={ageText(approval.ends - now.value / 1e6)} />}
              <Fact title={texts.decidedBy} text={approval.approver} />
              <Fact title={texts.detail} text={approval.detail} />
            </dl>
            {waits && (
              <div class="row">
                {(may('approve') || isOwn) && (
                  <button type="button" class="main" onClick={() => (asked.value = { approval, isApproval: true })}>
                    {texts.approve}
                  </button>
                )}
                {(may('approve') || isOwn) && (
                  <button type="button" onClick={() => (asked.value = { approval, isApproval: false })}>
                    {isOwn ? texts.withdraw : texts.reject}
                  </button>
                )}
              </div>
            )}
          </article>
        );
      })}
      {asked.value !== undefined &&
        (asked.value.isApproval ? (
          <ApproveDialog
            approval={asked.value.approval}
            isOwn={asked.value.approval.requester === me}
            onDone={done}
            onClose={close}
          />
        ) : (
          <RejectDialog
            approval={asked.value.approval}
            isOwn={asked.value.approval.requester === me}
            onDone={done}
            onClose={close}
          />
        ))}
    </section>
  );
}

function Fact({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <bdi>{text}</bdi>
      </dd>
    </div>
  );
}

interface DecideProps {
  readonly approval: Approval;
  readonly isOwn: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** At the station of who has asked, the second person gives their name as well. */
function ApproveDialog({ approval, isOwn, onDone, onClose }: DecideProps) {
  const { access: texts, point } = words.value;
  const [user, password, code] = [useSignal(''), useSignal(''), useSignal('')];
  const save = () => {
    const signature = {
      ...(user.value !== '' && { user: user.value }),
      ...(password.value !== '' && { password: password.value }),
      ...(code.value !== '' && { code: code.value.replaceAll(' ', '') }),
    };
    password.value = '';
    code.value = '';
    return approvals.approve(approval.id ?? '', signature);
  };
  return (
    <EditDialog title={texts.approve} word={texts.approve} save={save} onDone={onDone} onClose={onClose}>
      <p>{isOwn ? texts.approveOwn : texts.approveWhy(approval.requester)}</p>
      {isOwn && (
        <TextField label={texts.secondPerson} value={user.value} onText={(text) => (user.value = text)} isRequired />
      )}
      <TextField
        label={point.sign.password}
        type="password"
        autocomplete={isOwn ? 'off' : 'current-password'}
        value={password.value}
        onText={(text) => (password.value = text)}
        hint={isOwn ? undefined : point.sign.passwordHint}
        isRequired={isOwn}
      />
      <TextField
        label={point.sign.code}
        value={code.value}
        autocomplete="one-time-code"
        onText={(text) => (code.value = text)}
        hint={point.sign.codeHint}
        maxLength={32}
      />
    </EditDialog>
  );
}

function RejectDialog({ approval, isOwn, onDone, onClose }: DecideProps) {
  const { access: texts, common } = words.value;
  const reason = useSignal('');
  const word = isOwn ? texts.withdraw : texts.reject;
  const save = () => approvals.reject(approval.id ?? '', reason.value === '' ? {} : { reason: reason.value });
  return (
    <EditDialog title={word} word={word} save={save} onDone={onDone} onClose={onClose}>
      <TextField
        label={common.reason}
        value={reason.value}
        onText={(text) => (reason.value = text)}
        isRequired={!isOwn}
      />
    </EditDialog>
  );
}
