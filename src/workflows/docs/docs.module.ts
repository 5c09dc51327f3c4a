import { Module } from '@nestjs/common';
import { DocsController, WorkflowDocumentController } from './docs.controller.js';
import { Documents } from './documents.js';
import { FrontController } from './front.controller.js';

@Module({
  controllers: [FrontController, DocsController, WorkflowDocumentController],
  providers: [Documents],
})
export class DocsModule {}
