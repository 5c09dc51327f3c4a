import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../access/auth.module.js';
import { MessageEntity } from './message.entity.js';
import { Mailer } from './mailer.js';
import { MessageRunner, message } from './message.job.js';
import { MessagesController } from './messages.controller.js';
import { MessagesService } from './messages.service.js';
import { SignInLetters } from './sign-in-letters.js';
import { ChannelEntity } from './channel.entity.js';
import { channels } from './channels.kind.js';
import { messageGauges, oldMessages } from './messages.repository.js';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([MessageEntity])],
  controllers: [MessagesController],
  providers: [Mailer, MessageRunner, MessagesService, SignInLetters],
  exports: [Mailer, MessagesService, SignInLetters],
})
export class MessagesModule {}

export const messagesFeature = {
  kinds: [channels],
  entities: [ChannelEntity, MessageEntity],
  jobs: [message],
  leftovers: [oldMessages],
  gauges: messageGauges,
  eventTypes: ['message.failed'],
  modules: [MessagesModule],
};
