//! Connections: asynchronous ones for everything that waits, blocking ones for the budget actor's own threads.
