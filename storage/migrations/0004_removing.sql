-- What commands came to, by whose they are: a removal withdraws the results that quote what is gone.

CREATE INDEX commands_kept ON commands (user_id, companion) WHERE result IS NOT NULL;
