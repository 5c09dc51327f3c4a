import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { TasksController } from './tasks.controller.js';
import { TaskLists } from './task-lists.js';
import { TasksService } from './tasks.service.js';

@Module({
  imports: [AttachmentsModule],
  controllers: [TasksController],
  providers: [TasksService, TaskLists],
})
export class TasksModule {}
