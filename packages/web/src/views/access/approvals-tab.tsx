// What waits for a second person: approved with a signature, rejected with a reason, or withdrawn by who has asked.
import { useSignal } from '@preact/signals';
import type { Approval } from '@telltale/schema';
import type { FunctionComponent } from 'preact';
import { approvals } from '../../data/access.ts';
import { identity, may } from '../../data/session.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { TextField } from '../../parts/fields.tsx';
import { now } from '../../parts/now.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { ageText, momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { Confirm, type Ends } from './accounts.tsx';

const everyMs = 3000;

export function ApprovalsTab() {
  const { access: texts, common } = words.value;
  const { value, error, again } = useRead((signal) => approvals.list({ signal }), [], { everyMs });
  const asked = useSignal<{ readonly approval: Approval; readonly Dialog: FunctionComponent<DecideProps> } | undefined>(
    undefined,
  );
  const me = identity.value?.identity;
  const close = () => (asked.value = undefined);
  return (
    <section class="panel">
      <h2>{texts.tabs.approvals}</h2>
      <p class="quiet">{texts.approvalsWhy}</p>
      <ReadState value={value} error={error} />
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
            <FactList
              facts={[
                [common.state, texts.approvalStates[approval.state]],
                [texts.requester, approval.requester],
                [common.reason, approval.reason],
                [texts.wanted, JSON.stringify(approval.input)],
                [texts.live, approval.live],
                [texts.requested, momentText(approval.created * 1e6)],
                [texts.timeLeft, waits ? ageText(approval.ends - now.value / 1e6) : ''],
                [texts.decidedBy, approval.approver],
                [texts.detail, approval.detail],
              ]}
            />
            {waits && (may('approve') || isOwn) && (
              <div class="row">
                <button type="button" class="main" onClick={() => (asked.value = { approval, Dialog: ApproveDialog })}>
                  {texts.approve}
                </button>
                <button type="button" onClick={() => (asked.value = { approval, Dialog: RejectDialog })}>
                  {isOwn ? texts.withdraw : texts.reject}
                </button>
              </div>
            )}
          </article>
        );
      })}
      {asked.value !== undefined && (
        <asked.value.Dialog
          approval={asked.value.approval}
          isOwn={asked.value.approval.requester === me}
          onDone={again}
          onClose={close}
        />
      )}
    </section>
  );
}

interface DecideProps extends Ends {
  readonly approval: Approval;
  readonly isOwn: boolean;
}

/** At the station of who has asked, the second person gives their name as well. */
function ApproveDialog({ approval, isOwn, ...ends }: DecideProps) {
  const { access: texts, point } = words.value;
  const [user, password, code] = [useSignal(''), useSignal(''), useSignal('')];
  const approve = () => {
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
    <Confirm title={texts.approve} action={texts.approve} run={approve} {...ends}>
      <p>{isOwn ? texts.approveOwn : texts.approveWhy(approval.requester)}</p>
      {isOwn && <TextField label={texts.secondPerson} text={user} isRequired />}
      <TextField
        label={point.sign.password}
        type="password"
        autocomplete={isOwn ? 'off' : 'current-password'}
        text={password}
        hint={isOwn ? undefined : point.sign.passwordHint}
        isRequired={isOwn}
      />
      <TextField
        label={point.sign.code}
        text={code}
        autocomplete="one-time-code"
        hint={point.sign.codeHint}
        maxLength={32}
      />
    </Confirm>
  );
}

function RejectDialog({ approval, isOwn, ...ends }: DecideProps) {
  const { access: texts, common } = words.value;
  const reason = useSignal('');
  const word = isOwn ? texts.withdraw : texts.reject;
  const reject = () => approvals.reject(approval.id ?? '', reason.value === '' ? {} : { reason: reason.value });
  return (
    <Confirm title={word} action={word} run={reject} {...ends}>
      <TextField label={common.reason} text={reason} isRequired={!isOwn} />
    </Confirm>
  );
}
