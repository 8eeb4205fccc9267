-- Nothing: the runs are what they are called.
SELECT 1;
