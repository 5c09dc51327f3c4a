import { ActionEntity } from './action.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApprovalEntity } from './approval.entity.js';
import { ApprovalRoundEntity } from './approval-round.entity.js';
import { BlobEntity } from './blob.entity.js';
import { ChannelEntity } from './channel.entity.js';
import { ChecklistItemEntity } from './checklist-item.entity.js';
import { ChecklistTemplateItemEntity } from './checklist-template-item.entity.js';
import { ClockChangeEntity } from './clock-change.entity.js';
import { ClockEntity } from './clock.entity.js';
import { CommentEntity } from './comment.entity.js';
import { DefinitionMigrationEntity } from './definition-migration.entity.js';
import { DefinitionVersionEntity } from './definition-version.entity.js';
import { EventChunkEntity } from './event-chunk.entity.js';
import { EventSetAsideEntity } from './event-set-aside.entity.js';
import { EventStreamEntity } from './event-stream.entity.js';
import { EventEntity } from './event.entity.js';
import { ExecutionEntity } from './execution.entity.js';
import { FieldEntity } from './field.entity.js';
import { FieldIndexEntity } from './field-index.entity.js';
import { FollowerEntity } from './follower.entity.js';
import { FormerNameEntity } from './former-name.entity.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { LinkEntity } from './link.entity.js';
import { MailWindowEntity } from './mail-window.entity.js';
import { MemberEntity } from './member.entity.js';
import { MessageEntity } from './message.entity.js';
import { NotificationEntity } from './notification.entity.js';
import { ReceivedHookEntity } from './received-hook.entity.js';
import { RelationshipEntity } from './relationship.entity.js';
import { RoleEntity } from './role.entity.js';
import { RuleStateEntity } from './rule-state.entity.js';
import { RunEntity } from './run.entity.js';
import { ScheduleStateEntity } from './schedule-state.entity.js';
import { SessionEntity } from './session.entity.js';
import { SignInFailureEntity } from './sign-in-failure.entity.js';
import { SignInLinkEntity } from './sign-in-link.entity.js';
import { StageEntity } from './stage.entity.js';
import { TaskEditorEntity } from './task-editor.entity.js';
import { TaskEntity } from './task.entity.js';
import { TaskSortKeyEntity } from './task-sort-key.entity.js';
import { TaskWordsEntity } from './task-words.entity.js';
import { TimerEntity } from './timer.entity.js';
import { UniqueIdCounterEntity } from './unique-id-counter.entity.js';
import { UserEntity } from './user.entity.js';
import { WatcherEntity } from './watcher.entity.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookReceiverEntity } from './webhook-receiver.entity.js';
import { WebhookEntity } from './webhook.entity.js';
import { WorkflowEntity } from './workflow.entity.js';
import { WorkspaceEntity } from './workspace.entity.js';

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
