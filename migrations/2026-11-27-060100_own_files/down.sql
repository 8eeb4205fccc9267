-- The names of data sets that were not true do not come back.
UPDATE persona_sets SET source = replace(source, 'own file ', '') WHERE NOT synthetic AND source LIKE 'own file %';
