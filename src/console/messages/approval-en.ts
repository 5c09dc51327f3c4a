/** What the pages say in English of approvals. */
export const approvalEn = {
  title: 'Approvals',
  of: (group: string, action: string) => `${group}, for ${action}`,
  given: (given: number, needed: number) => `${given} of ${needed} approved`,
  complete: 'Approved',
  rejected: 'Rejected',
  blocked: 'Cannot be met',
  waitsFor: 'Waits for',
  decided: {
    approve: 'approved',
    reject: 'rejected',
  } as Readonly<Record<string, string>>,
  decisions: { approve: 'approval', reject: 'rejection', withdraw: 'taken back' } as Readonly<
    Record<string, string>
  >,
  insteadOf: (email: string) => `for ${email}`,
  states: {
    counts: 'counts',
    stale: 'counts no more',
    expired: 'expired',
    withdrawn: 'withdrawn',
    ineligible: 'does not count',
  } as Readonly<Record<string, string>>,
  decide: 'Decide',
  decideFor: (email: string) => `You decide for ${email}, who is away.`,
  comment: 'Comment',
  commentHint: 'A rejection needs one.',
  approve: 'Approve',
  reject: 'Reject',
  withdraw: 'Take back my decision',
  mayNot: 'You may not decide:',
  changed: 'The task has changed since you looked at it. Look again, and decide then.',
  override: 'Set the approvals aside',
  overrideLead: 'As an administrator, for as long as the task stays as it is. It is told in the history.',
  reason: 'Reason',
  overridden: (email: string) => `Set aside by ${email}:`,
  waiting: 'Waiting for my decision',
  waitingOn: (group: string, action: string) => `${action}: ${group}`,
  away: {
    title: 'Absence',
    lead: 'While you are away, somebody else decides on what waits for your approval. You may still decide yourself.',
    from: 'From',
    until: 'Until, not including',
    to: 'Who decides',
    save: 'Save absence',
    clear: 'I am not away',
    isAway: (from: string, until: string, to: string) => `Away from ${from} until ${until}; ${to} decides.`,
  },
};

/** A catalogue of approvals. */
export type ApprovalWords = typeof approvalEn;
