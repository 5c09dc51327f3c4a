import { AttachmentsModule } from './attachments.module.js';

export const attachmentsFeature = { modules: [AttachmentsModule] };
