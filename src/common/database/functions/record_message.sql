CREATE OR REPLACE FUNCTION record_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id, 'message.failed', NEW.origin,
    jsonb_build_object('id', NEW.id, 'kind', NEW.kind, 'to', NEW.recipient, 'subject', NEW.subject,
      'cause', NEW.cause, 'tries', NEW.tries), NULL, NULL);
  RETURN NULL;
END $$;
