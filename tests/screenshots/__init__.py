"""Pictures of every page, taken on a platform with demonstration data: `make screenshots`."""
