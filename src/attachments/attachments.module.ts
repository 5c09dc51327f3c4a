import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../config.js';
import { BlobEntity } from '../tasks/store/blob.entity.js';
import { Outbound } from '../../packages/safe-http/client.js';
import { outboundIsOff, outboundOf } from '../common/outbound.js';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsService } from './attachments.service.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { Uploads } from './uploads.js';

@Module({
  imports: [TypeOrmModule.forFeature([BlobEntity])],
  controllers: [AttachmentsController, FilesController],
  providers: [
    AttachmentsService,
    FilesService,
    Uploads,
    {
      provide: Outbound,
      inject: [CONFIG],
      // DNS lookups use at most half of the threads; others are left for PostgreSQL, Redis and S3.
      useFactory: ({ isOutboundOn, outboundAllow, threads }: Config) =>
        outboundOf({
          refusal: isOutboundOn ? undefined : outboundIsOff,
          allow: outboundAllow,
          lookups: Math.max(2, Math.floor((threads * 3) / 8)),
        }),
    },
  ],
  exports: [AttachmentsService, FilesService, Outbound, Uploads],
})
export class AttachmentsModule {}
