import { Module } from '@nestjs/common';
import { DocsController, WorkflowDocumentController, FrontController } from './docs.controller.js';
import { Documents } from './documents.js';

@Module({
  controllers: [FrontController, DocsController, WorkflowDocumentController],
  providers: [Documents],
})
export class DocsModule {}
