-- A trigger, so that it also sees an apply being undone. A change of the type clears the list.
CREATE OR REPLACE FUNCTION remember_former_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.former_options := CASE WHEN NEW.type = OLD.type THEN ARRAY(
    SELECT option FROM unnest(
      OLD.former_options || ARRAY(SELECT json_array_elements_text(OLD.settings -> 'options'))
    ) WITH ORDINALITY former (option, place)
    WHERE (NEW.settings::jsonb -> 'options' ? option) IS NOT TRUE
    GROUP BY option ORDER BY min(place)
  ) ELSE '{}' END;
  RETURN NEW;
END $$;
