ALTER TABLE simulations DROP COLUMN left_out;
