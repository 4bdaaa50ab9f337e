package prefixes

import (
	"slices"
	"strings"
	"testing"
)

func TestLongest(t *testing.T) {
	keys := []string{"/b", "/ab", "/", "/a", "/abc", "/ab", "/ac", "/ab\xff"}
	s := New(keys)
	if !slices.IsSorted(s.Keys) || len(s.Keys) != 7 || keys[0] != "/b" {
		t.Errorf("keys %q of %q", s.Keys, keys)
	}
	for _, text := range append(keys, "", "x", "!", "/abx", "/abcd", "/az", "/c") {
		var want, got []string // what text begins with, the longest first
		for _, key := range slices.Backward(s.Keys) {
			if strings.HasPrefix(text, key) {
				want = append(want, key)
			}
		}
		for i := s.Longest(text); i >= 0; i = s.Parent(i) {
			got = append(got, s.Keys[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
		i := s.Find(text)
		for j, key := range s.Keys {
			if strings.HasPrefix(key, text) && j < i || (j < i) != (key < text) {
				t.Errorf("%q is found at %d of %q", text, i, s.Keys)
			}
		}
	}
	if i := New(nil).Longest("/"); i != -1 {
		t.Errorf("found at %d of nothing", i)
	}
}
