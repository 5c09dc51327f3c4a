import { Module } from '@nestjs/common';
import { AuthModule } from '../../access/auth.module.js';
import { AsksService } from '../../actions/asks/asks.service.js';
import { TasksModule } from '../../tasks/tasks.module.js';
import { FormStateEntity, QuarantinedPostEntity } from './form.entity.js';
import { FormsService } from './forms.service.js';
import { QuarantineController } from './quarantine.controller.js';
import { oldQuarantine } from './forms.repository.js';
import { shownForms } from './shown-forms.js';

@Module({
  imports: [AuthModule, TasksModule],
  controllers: [QuarantineController],
  providers: [AsksService, FormsService],
  exports: [AsksService, FormsService],
})
export class FormsModule {}

export const formsFeature = {
  kinds: [shownForms],
  entities: [FormStateEntity, QuarantinedPostEntity],
  leftovers: [oldQuarantine],
  modules: [FormsModule],
};
