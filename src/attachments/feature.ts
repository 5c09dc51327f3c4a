import { AttachmentsModule } from './attachments.module.js';
import { blobSweep } from './sweep-blobs.js';

/** What this folder brings to the service. */
export const attachmentsFeature = { periodic: [blobSweep], modules: [AttachmentsModule] };
