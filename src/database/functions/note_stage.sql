-- A task remembers when it came to its stage, and by which of its versions: that version names the visit.
CREATE OR REPLACE FUNCTION note_stage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stage_at := service_now();
  NEW.stage_version := NEW.version;
  RETURN NEW;
END $$;
