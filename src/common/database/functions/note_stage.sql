-- Stores when a task entered its stage, and its version then. That version identifies the visit of the stage.
CREATE OR REPLACE FUNCTION note_stage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stage_at := service_now();
  NEW.stage_version := NEW.version;
  RETURN NEW;
END $$;
