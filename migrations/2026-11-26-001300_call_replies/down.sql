DROP TABLE call_replies;
