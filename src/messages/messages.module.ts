import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../access/auth.module.js';
import { MessageEntity } from './message.entity.js';
import { MessageMetrics } from './message-metrics.js';
import { Mailer } from './mailer.js';
import { MessageRunner } from './message-runner.js';
import { MessagesController } from './messages.controller.js';
import { MessagesService } from './messages.service.js';
import { SignInLetters } from './sign-in-letters.js';
import { ChannelEntity } from './channel.entity.js';
import { channels } from './channels.kind.js';
import { message } from './message.job.js';
import { oldMessages } from './messages.repository.js';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([MessageEntity])],
  controllers: [MessagesController],
  providers: [Mailer, MessageMetrics, MessageRunner, MessagesService, SignInLetters],
  exports: [Mailer, MessagesService, SignInLetters],
})
export class MessagesModule {}

export const messagesFeature = {
  kinds: [channels],
  entities: [ChannelEntity, MessageEntity],
  jobs: [message],
  leftovers: [oldMessages],
  eventTypes: ['message.failed'],
  modules: [MessagesModule],
};
