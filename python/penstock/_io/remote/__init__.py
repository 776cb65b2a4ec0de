"""Files behind an address: `penstock.remote`."""
