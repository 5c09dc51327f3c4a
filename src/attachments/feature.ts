import { AttachmentsModule } from './attachments.module.js';

/** The parts that this folder adds to the service. */
export const attachmentsFeature = { modules: [AttachmentsModule] };
