import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { ErrorFilter, statusOf } from '../../common/ops/error.filter.js';
import { sendPage } from '../page.js';
import { PublicPage, publicPolicy } from './form-page.js';

/** Shows an error to people without an account, on a page without links into the service. */
@Catch()
export class FormFilter implements ExceptionFilter {
  constructor(private readonly errors: ErrorFilter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const { path } = host.switchToHttp().getRequest<Request>();
    if (response.headersSent || response.closed) {
      this.errors.catch(error, host);
      return;
    }
    const refusal = this.errors.refusalOf(error, response);
    const [status] = statusOf(refusal);
    const [title, more] = texts[status] ?? texts[500] ?? ['', ''];
    sendPage(
      response,
      <PublicPage title={title}>
        <p>{status === 404 && path.startsWith('/ask/') ? NO_MAILED_FORM : more}</p>
      </PublicPage>,
      { status, headers: { ...refusal?.headers, 'Content-Security-Policy': publicPolicy() } },
    );
  }
}

const texts: Readonly<Record<number, readonly [title: string, more: string]>> = {
  400: ['This form arrived incomplete', 'Go back and send the form again.'],
  404: ['There is no form here', 'The form may be closed, or may have a new address.'],
  413: ['This is too large', 'All files together may be at most 20 MB. Go back and choose smaller files.'],
  429: ['Too many forms', 'Many forms were sent from your network. Go back and try again in a minute.'],
  500: ['Something went wrong', 'Go back and try again later.'],
  503: ['The service is busy', 'Go back and try again in a moment.'],
};

const NO_MAILED_FORM = 'The form was sent already, has expired, or its task was deleted.';
