import { AttachmentsModule } from './attachments.module.js';

/** What this folder brings to the service. */
export const attachmentsFeature = { modules: [AttachmentsModule] };
