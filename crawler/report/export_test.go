package report

import "testing"

// WriteEverything makes the directory of a crawl with a case of every kind.
func WriteEverything(t *testing.T) string { return everything().write(t) }
