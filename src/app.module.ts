import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource } from 'typeorm';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ChecklistsModule } from './checklists/checklists.module.js';
import { CommentsModule } from './comments/comments.module.js';
import { CONFIG, type Config } from './config.js';
import { ConsoleModule } from './console/console.module.js';
import { ErrorFilter } from './ops/error.filter.js';
import { ClocksModule } from './clocks/clocks.module.js';
import { RulesModule } from './rules/rules.module.js';
import { RunsModule } from './executions/runs/runs.module.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { TimersModule } from './timers/timers.module.js';
import { UnroutedController } from './ops/unrouted.controller.js';
import { AttachmentsModule } from './attachments/attachments.module.js';
import { type BlobStore, BLOBS } from './task-store/blob-store.js';
import { watchStore } from './attachments/stores/watched-store.js';
import { EventsModule } from './events/events.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { DefinitionsModule } from './definitions/definitions.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { LinksModule } from './links/links.module.js';
import { LOGGER, type Logger } from './lib/logger.js';
import { McpModule } from './mcp/mcp.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { OpsModule } from './ops/ops.module.js';
import { DocsModule } from './docs/docs.module.js';
import { HttpModule } from './http/http.module.js';
import { HooksModule } from './rules/hooks/hooks.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { WorkspaceModule } from './workspace/workspace.module.js';

/** The base of the modules: a configuration, a connected database, a blob store and a log. */
export interface Foundations {
  readonly config: Config;
  readonly dataSource: DataSource;
  readonly blobs: BlobStore;
  readonly logger: Logger;
}

@Module({})
export class AppModule {
  static async on({ config, dataSource, blobs, logger }: Foundations): Promise<DynamicModule> {
    return {
      module: AppModule,
      global: true,
      // Modules shut down in reverse order of import; the last one's route matches what no other route does.
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => dataSource.options,
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
        OpsModule,
        WorkspaceModule,
        AuthModule,
        // Its guard comes after those of keys.
        HttpModule,
        AttachmentsModule,
        ChecklistsModule,
        CommentsModule,
        EventsModule,
        MessagesModule,
        NotificationsModule,
        DefinitionsModule,
        LinksModule,
        TasksModule,
        ExecutionsModule,
        RunsModule,
        RulesModule,
        ClocksModule,
        SchedulesModule,
        TimersModule,
        ApprovalsModule,
        WebhooksModule,
        HooksModule,
        await JobsModule.on(config),
        ...(config.mcp === 'off' ? [] : [McpModule]),
        ...(config.hasConsole ? [ConsoleModule] : []),
        DocsModule,
        UnroutedModule,
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: BLOBS, useValue: watchStore(blobs, logger) },
        { provide: LOGGER, useValue: logger },
        ErrorFilter,
        { provide: APP_FILTER, useExisting: ErrorFilter },
      ],
      exports: [CONFIG, BLOBS, LOGGER, ErrorFilter],
    };
  }
}

@Module({ controllers: [UnroutedController] })
class UnroutedModule {}
