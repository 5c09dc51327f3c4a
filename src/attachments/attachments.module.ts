import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsService } from './attachments.service.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';

@Module({
  imports: [TasksModule],
  controllers: [AttachmentsController, FilesController],
  providers: [AttachmentsService, FilesService],
  exports: [AttachmentsService, FilesService],
})
export class AttachmentsModule {}

export const attachmentsFeature = { modules: [AttachmentsModule] };
