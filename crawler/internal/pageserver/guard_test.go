package pageserver

import "testing"

// An empty secret never matches.
func TestSame(t *testing.T) {
	for _, tt := range []struct {
		given, secret string
		want          bool
	}{{"a", "a", true}, {"a", "b", false}, {"a", "", false}, {"", "a", false}, {"", "", false}} {
		if got := same(tt.given, tt.secret); got != tt.want {
			t.Errorf("same(%q, %q) = %v", tt.given, tt.secret, got)
		}
	}
}
