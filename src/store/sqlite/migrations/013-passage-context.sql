-- Text that helps to find a passage and is never shown. Documents of sources had it as the last line of their content.
ALTER TABLE passage ADD COLUMN context TEXT;
-- The context has the project also where the settings give it, not the document: these passages are to be derived again.
UPDATE record SET chunking = NULL WHERE origin = 'source' AND project <> 'default';
