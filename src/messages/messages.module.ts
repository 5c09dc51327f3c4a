import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MessageEntity } from './message.entity.js';
import { MessageMetrics } from './message-metrics.js';
import { Mailer } from './mailer.js';
import { MessageRunner } from './message-runner.js';
import { MessagesController } from './messages.controller.js';
import { MessagesService } from './messages.service.js';

/** Messages of actions, and their sending. */
@Module({
  imports: [TypeOrmModule.forFeature([MessageEntity])],
  controllers: [MessagesController],
  providers: [Mailer, MessageMetrics, MessageRunner, MessagesService],
  exports: [Mailer, MessagesService],
})
export class MessagesModule {}
