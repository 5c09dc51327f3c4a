import { ActionEntity } from './workspace/entities/action.entity.js';
import { ApiKeyEntity } from './auth/api-key.entity.js';
import { ApprovalEntity } from './actions/approvals/approval.entity.js';
import { ApprovalRoundEntity } from './approvals/approval-round.entity.js';
import { BlobEntity } from './task-store/blob.entity.js';
import { ChannelEntity } from './workspace/entities/channel.entity.js';
import { ChecklistItemEntity } from './task-store/checklist-item.entity.js';
import { ChecklistTemplateItemEntity } from './workspace/entities/checklist-template-item.entity.js';
import { ClockChangeEntity } from './clocks/clock-change.entity.js';
import { ClockEntity } from './clocks/clock.entity.js';
import { CommentEntity } from './comments/comment.entity.js';
import { DefinitionMigrationEntity } from './database/definition-migration.entity.js';
import { DefinitionVersionEntity } from './workspace/entities/definition-version.entity.js';
import { EventChunkEntity } from './events/event-chunk.entity.js';
import { EventSetAsideEntity } from './followers/event-set-aside.entity.js';
import { EventStreamEntity } from './events/event-stream.entity.js';
import { EventEntity } from './events/event.entity.js';
import { ExecutionEntity } from './executions/execution.entity.js';
import { FieldEntity } from './workspace/entities/field.entity.js';
import { FieldIndexEntity } from './task-store/field-index.entity.js';
import { FollowerEntity } from './followers/follower.entity.js';
import { FormerNameEntity } from './events/former-name.entity.js';
import { IdempotencyKeyEntity } from './http/idempotency-key.entity.js';
import { LinkEntity } from './links/link.entity.js';
import { MailWindowEntity } from './notifications/mail-window.entity.js';
import { MemberEntity } from './workspace/entities/member.entity.js';
import { MessageEntity } from './messages/message.entity.js';
import { NotificationEntity } from './notifications/notification.entity.js';
import { ReceivedHookEntity } from './rules/hooks/received-hook.entity.js';
import { RelationshipEntity } from './workspace/entities/relationship.entity.js';
import { RoleEntity } from './workspace/entities/role.entity.js';
import { RuleStateEntity } from './rules/rule-state.entity.js';
import { RunEntity } from './executions/runs/run.entity.js';
import { ScheduleStateEntity } from './schedules/schedule-state.entity.js';
import { SessionEntity } from './auth/session.entity.js';
import { SignInFailureEntity } from './auth/sign-in-failure.entity.js';
import { SignInLinkEntity } from './auth/sign-in-link.entity.js';
import { StageEntity } from './workspace/entities/stage.entity.js';
import { TaskEditorEntity } from './approvals/task-editor.entity.js';
import { TaskEntity } from './task-store/task.entity.js';
import { TaskSortKeyEntity } from './task-store/task-sort-key.entity.js';
import { TaskWordsEntity } from './task-store/task-words.entity.js';
import { TimerEntity } from './timers/timer.entity.js';
import { UniqueIdCounterEntity } from './task-store/unique-id-counter.entity.js';
import { UserEntity } from './workspace/entities/user.entity.js';
import { WatcherEntity } from './notifications/watcher.entity.js';
import { WebhookDeliveryEntity } from './webhooks/webhook-delivery.entity.js';
import { WebhookReceiverEntity } from './webhooks/webhook-receiver.entity.js';
import { WebhookEntity } from './workspace/entities/webhook.entity.js';
import { WorkflowEntity } from './workspace/entities/workflow.entity.js';
import { WorkspaceEntity } from './workspace/entities/workspace.entity.js';

/** All tables; `test/service/schema.e2e-spec.ts` compares them with the migrations. */
export const entities = [
  WorkspaceEntity,
  UserEntity,
  WorkflowEntity,
  StageEntity,
  FieldEntity,
  IdempotencyKeyEntity,
  ChecklistTemplateItemEntity,
  RoleEntity,
  MemberEntity,
  ActionEntity,
  RelationshipEntity,
  ApiKeyEntity,
  TaskEntity,
  LinkEntity,
  BlobEntity,
  ChecklistItemEntity,
  ExecutionEntity,
  CommentEntity,
  UniqueIdCounterEntity,
  DefinitionMigrationEntity,
  DefinitionVersionEntity,
  FieldIndexEntity,
  TaskSortKeyEntity,
  TaskWordsEntity,
  EventEntity,
  EventStreamEntity,
  EventChunkEntity,
  FormerNameEntity,
  WebhookEntity,
  WebhookReceiverEntity,
  WebhookDeliveryEntity,
  ChannelEntity,
  MessageEntity,
  SessionEntity,
  SignInFailureEntity,
  SignInLinkEntity,
  FollowerEntity,
  EventSetAsideEntity,
  RuleStateEntity,
  RunEntity,
  ClockEntity,
  ClockChangeEntity,
  ScheduleStateEntity,
  TimerEntity,
  ReceivedHookEntity,
  MailWindowEntity,
  NotificationEntity,
  WatcherEntity,
  ApprovalEntity,
  TaskEditorEntity,
  ApprovalRoundEntity,
];
