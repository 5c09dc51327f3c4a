// CHECK constraints list most of these values, so most new values need a migration.

export const executionStatuses = ['Pending', 'Success', 'Fail'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const itemStatuses = ['Blank', 'Skipped', 'Completed'] as const;
/** Whether a checklist item with this status still has to be done. */
export const isOpenItem = (status: unknown): boolean => status === 'Blank';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

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
export const messageKinds = ['email', 'post'] as const;
export type MessageKind = (typeof messageKinds)[number];

export const messageStates = ['queued', 'sent', 'failed'] as const;
export type MessageState = (typeof messageStates)[number];

/** The reasons for a notification, strongest first. A notification names only its strongest reason. */
export const notificationReasons = [
  'mentioned',
  'assigned',
  'approval',
  'due',
  'failed',
  'watching',
] as const;
export type NotificationReason = (typeof notificationReasons)[number];

export const notificationChannels = ['mail', 'inbox', 'off'] as const;
export type NotificationChannel = (typeof notificationChannels)[number];

/** The mails about notifications: `prompt` is sent minutes after a notification, `digest` once a day. */
export const noticeLetters = ['prompt', 'digest'] as const;
export type NoticeLetter = (typeof noticeLetters)[number];

/** The kind of mail in which a notification will appear; `none` if it will appear in no mail. */
export type MailState = 'none' | NoticeLetter;

/** Which mails about notifications a user gets: all, only the prompt ones (`direct`), or none. */
export const mailChoices = ['all', 'direct', 'none'] as const;
export type MailChoice = (typeof mailChoices)[number];

/** Whether a user watches a task: automatically (`auto`), by choice (`on`), or not at all (`muted`). */
export type WatchState = 'auto' | 'on' | 'muted';
export type ApprovalDecision = 'approve' | 'reject';

export type ApprovalState = 'live' | 'stale' | 'withdrawn' | 'replaced' | 'used';

/** The scopes of keys. Each scope includes the scopes before it. */
export const keyScopes = ['read', 'write', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];

export const roleSights = ['all', 'assigned'] as const;

export const roleEdits = ['all', 'assigned', 'none'] as const;

export const roleMoves = ['any_stage', 'by_actions'] as const;

/** Permanent restrictions of a key beyond its scope. An absent list restricts nothing. */
export interface Narrowing {
  readonly workflows?: readonly string[];
  readonly actions?: readonly string[];
  readonly fields?: readonly string[];
  /** Whether the key can only create tasks. Such a key cannot read or change tasks. */
  readonly creates?: true;
}

export type ValueKind = 'text' | 'number' | 'boolean' | 'list';
