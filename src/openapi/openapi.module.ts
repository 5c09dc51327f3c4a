import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { Documents } from './documents.js';
import { FrontController } from './front.controller.js';
import { WorkflowDocumentController } from './workflow-document.controller.js';

@Module({
  controllers: [FrontController, DocsController, WorkflowDocumentController],
  providers: [Documents],
})
export class OpenApiModule {}
