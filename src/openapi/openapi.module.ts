import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { Documents } from './documents.js';
import { WorkflowDocumentController } from './workflow-document.controller.js';

@Module({ controllers: [DocsController, WorkflowDocumentController], providers: [Documents] })
export class OpenApiModule {}
