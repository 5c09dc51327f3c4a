/** What the status of an execution may be. */
export const executionStatuses = ['Pending', 'Success', 'Fail'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** What the status of an item of a checklist may be. */
export const itemStatuses = ['Blank', 'Skipped', 'Completed'] as const;

/** What the kind of a relationship may be, read from its `from` to its `to`. */
export const relationshipKinds = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const;
export type RelationshipKind = (typeof relationshipKinds)[number];

/** Every type of event that the feed holds. */
export const eventTypes = [
  'task.created',
  'task.updated',
  'task.deleted',
  'checklist_item.created',
  'checklist_item.updated',
  'checklist_item.deleted',
  'comment.created',
  'execution.started',
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'definition.applied',
  'webhook.disabled',
  'rule.loop',
  'rule.throttled',
  'rule.paused',
  'rule.resumed',
  'clock.fired',
  'clock.missed',
  'message.failed',
  'schedule.paused',
  'schedule.resumed',
  'hook.received',
  'approval.requested',
  'approval.decided',
  'approval.stale',
  'approval.complete',
  'approval.overridden',
  'key.created',
  'key.rotated',
  'key.revoked',
  'user.created',
  'user.updated',
  'user.deactivated',
  'user.reactivated',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Whether an event tells of keys, users or webhooks, of which only who administers is told. */
export const isOfAdministration = (type: string): boolean => /^(?:key|user|webhook)\.(?!disabled)/.test(type);

/** What the state of a webhook may be. */
export const webhookStates = ['active', 'paused', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** What a webhook sends of a task beside what has changed. */
export const webhookContents = ['changes', 'task'] as const;
export type WebhookContent = (typeof webhookContents)[number];

/** What becomes of a delivery. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Where the clock of a task stands. */
export const clockStates = ['running', 'paused', 'met', 'breached', 'cancelled'] as const;

/** What starts an action by itself. */
export const runKinds = ['rule', 'clock', 'schedule', 'timer'] as const;
export type RunKind = (typeof runKinds)[number];

/** What becomes of a run. */
export const runResults = [
  'waiting',
  'started',
  'unavailable',
  'loop',
  'throttled',
  'silenced',
  'failed',
  'skipped',
  'missed',
] as const;
export type RunResult = (typeof runResults)[number];
/** How a message is sent. */
export const messageKinds = ['email', 'post'] as const;
export type MessageKind = (typeof messageKinds)[number];

/** What becomes of a message. */
export const messageStates = ['queued', 'sent', 'failed'] as const;
export type MessageState = (typeof messageStates)[number];

/** Why a user is told of an event, the strongest reason first: of several it is the one that is told. */
export const notificationReasons = [
  'mentioned',
  'assigned',
  'approval',
  'due',
  'failed',
  'watching',
] as const;
export type NotificationReason = (typeof notificationReasons)[number];

/** Where a user is told of it. */
export const notificationChannels = ['mail', 'inbox', 'off'] as const;
export type NotificationChannel = (typeof notificationChannels)[number];

/** What becomes of the mail of a notification: it waits for the letter of its reason, or for the digest. */
export const mailStates = ['none', 'waiting', 'digest', 'sent'] as const;
export type MailState = (typeof mailStates)[number];

/** Whether a user watches a task: by what they did, because they want to, or not at all. */
export const watchStates = ['auto', 'on', 'muted'] as const;
export type WatchState = (typeof watchStates)[number];
/** What somebody may decide on a group of approvals; an override is of all of them. */
export const approvalDecisions = ['approve', 'reject', 'override'] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** What has become of a decision. */
export const approvalStates = ['live', 'stale', 'expired', 'withdrawn', 'replaced', 'used'] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** What a key may do: each includes the one before. */
export const keyScopes = ['read', 'write', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Which tasks a role sees. */
export const roleSights = ['all', 'assigned'] as const;

/** Which of them it edits. */
export const roleEdits = ['all', 'assigned', 'none'] as const;

/** How it moves tasks to another stage. */
export const roleMoves = ['any_stage', 'by_actions'] as const;

/** How tasks get into a stage: by whatever names it, or by the steps of actions alone. */
export const waysIntoStages = ['freely', 'by_actions'] as const;
export type WayIntoStage = (typeof waysIntoStages)[number];

/** Who changes a value of a task: whoever writes it, or the steps of actions alone. */
export const waysOfChange = ['freely', 'by_actions'] as const;
export type WayOfChange = (typeof waysOfChange)[number];

/** What it means that a task came to an end stage. */
export const stageOutcomes = ['done', 'dropped'] as const;
export type StageOutcome = (typeof stageOutcomes)[number];

/** What a key is narrowed to, beside its scope; what is absent is not narrowed. Nothing widens a key later. */
export interface Narrowing {
  /** The ids of the workflows that it knows. */
  readonly workflows?: readonly string[];
  /** The ids of the actions that it may start. */
  readonly actions?: readonly string[];
  /** The names of the keys of payloads that it may write. */
  readonly fields?: readonly string[];
}
