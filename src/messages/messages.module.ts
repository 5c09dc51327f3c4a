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

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([MessageEntity])],
  controllers: [MessagesController],
  providers: [Mailer, MessageMetrics, MessageRunner, MessagesService, SignInLetters],
  exports: [Mailer, MessagesService, SignInLetters],
})
export class MessagesModule {}
