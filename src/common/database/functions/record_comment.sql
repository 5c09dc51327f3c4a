CREATE OR REPLACE FUNCTION record_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('wts.origin', true) = 'none' THEN RETURN NULL; END IF;
  PERFORM record_about(NEW.workspace_id, NEW.workflow_id, NEW.task_id, 'comment.created', NULL,
    jsonb_build_object('author', NEW.author_id, 'said_by', NEW.said_by, 'body', NEW.body, 'created_at', NEW.created_at)
      || CASE WHEN NEW.mentions IS NULL THEN '{}' ELSE jsonb_build_object('mentions', NEW.mentions) END, NULL, NULL);
  RETURN NULL;
END $$;
