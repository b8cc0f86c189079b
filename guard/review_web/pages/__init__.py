"""One file for each thing people do; every handler gets a request that passed the gate."""
